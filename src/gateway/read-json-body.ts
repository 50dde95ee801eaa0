import { Fault } from '../core/fault.ts'
import { turns } from '../core/turns.ts'
import type { JsonBody } from '../protocols/protocol.ts'
import { isObject, type JsonObject, parseJson } from '../wire/json.ts'
import { scanJson } from '../wire/scan-json.ts'
import { SlicedJson, type StringSpan } from '../wire/sliced-json.ts'
import { isCarried } from './lean-body.ts'

/** What a request may hold. More names and items than this are no prompt, and every later step walks them all. */
const jsonLimits = { depthMax: 128, nodesMax: 100_000, nameCharactersMax: 1024 * 1024 } as const

/** A body within both is read at once, as nearly all are: reading it takes a few milliseconds at most. */
const atOnceBytesMax = 1024 * 1024
const atOnceNodesMax = 8_000

/** Of one turn: some milliseconds of work. */
const decodedATurn = 1024 * 1024
const unitsATurn = 16_000

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** 400 for anything that is not one JSON object that every reader would understand alike. */
export function readJsonBody(bytes: Uint8Array): JsonBody | Promise<JsonBody> {
  if (bytes.length > atOnceBytesMax) return decodeSlowly(bytes).then(readSlowly)
  return readJsonText(decode(bytes))
}

export function readJsonText(text: string): JsonBody | Promise<JsonBody> {
  if (text.length > atOnceBytesMax) return readSlowly(text)
  const scan = scanJson(text, jsonLimits.depthMax, atOnceNodesMax)
  if (!scan.ok) {
    if (scan.isLong) return readSlowly(text)
    throw notJson(scan.problem)
  }
  const value = parseJson(text)
  if (value === undefined) {
    throw notJson(text.trim() === '' ? 'it is empty' : 'it is not valid JSON')
  }
  if (!isObject(value)) throw notJson('it is not a JSON object')
  return new ReadBody(text, value, scan)
}

/** The same for a body that would keep the event loop for too long. */
async function readSlowly(text: string): Promise<JsonBody> {
  const reader = new SlicedJson(text, jsonLimits, isCarried)
  do await turns.next()
  while (!reader.run(unitsATurn))
  if (reader.problem !== undefined) throw notJson(reader.problem)
  if (!reader.value) throw notJson('it is not a JSON object')
  return new ReadBody(text, reader.value, reader, reader)
}

async function decodeSlowly(bytes: Uint8Array): Promise<string> {
  const pieces = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for (let at = 0; at < bytes.length; at += decodedATurn) {
    await turns.next()
    const isLast = at + decodedATurn >= bytes.length
    text += decode(bytes.subarray(at, at + decodedATurn), pieces, !isLast)
  }
  await turns.next()
  return text
}

class ReadBody {
  readonly text: string
  readonly value: JsonObject
  readonly escapes: number
  readonly longStrings: readonly StringSpan[] | undefined
  readonly nodes: number | undefined
  readonly #scan: { readonly members: JsonBody['members'] }

  constructor(
    text: string,
    value: JsonObject,
    scan: { readonly members: JsonBody['members'] },
    long?: SlicedJson,
  ) {
    this.escapes = long?.escapes ?? 0
    this.longStrings = long?.longStrings
    this.nodes = long?.nodes
    this.text = text
    this.value = value
    this.#scan = scan
  }

  get members(): JsonBody['members'] {
    return this.#scan.members
  }
}

function decode(bytes: Uint8Array, by = decoder, stream = false): string {
  try {
    return by.decode(bytes, { stream })
  } catch (cause) {
    throw notJson('it is not valid UTF-8', cause)
  }
}

function notJson(why: string, cause?: unknown): Fault {
  return new Fault(
    'invalid_request',
    `The request body cannot be read: ${why}. Send one JSON object, encoded in UTF-8.`,
    { cause },
  )
}
