import { Fault } from '../../core/fault.ts'
import { turns } from '../../core/runtime/turns.ts'
import type { JsonBody } from '../../protocols/request-facts.ts'
import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import { scanJson } from '../../wire/scan-json.ts'
import { SlicedJson, type StringSpan, unitsATurn } from '../../wire/sliced-json.ts'
import type { TextCuts } from '../../wire/text-cuts.ts'
import { isCarried } from '../forward/lean-body.ts'
import { cutBody } from './cut-body.ts'

/** Limits of a request's JSON. No prompt has more names and items, and every later step visits all of them. */
const jsonLimits = { depthMax: 128, nodesMax: 100_000, nameCharactersMax: 1024 * 1024 } as const

/** A body within both limits is read at once, as nearly all are. Reading it takes a few milliseconds at most. */
const atOnceBytesMax = 1024 * 1024
const atOnceNodesMax = 8_000

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Throws 400 for a body that is not one JSON object which all parsers read alike. */
export function readJsonBody(
  bytes: Uint8Array,
  mint: (prefix: string) => string,
): JsonBody | Promise<JsonBody> {
  if (bytes.length > atOnceBytesMax) return readSlowly(bytes, mint)
  const text = decode(bytes)
  const scan = scanJson(text, jsonLimits.depthMax, atOnceNodesMax)
  if (!scan.ok) {
    if (scan.isLong) return readInSlices(text, undefined)
    throw notJson(scan.problem)
  }
  const value = parseJson(text)
  if (value === undefined) {
    throw notJson(text.trim() === '' ? 'it is empty' : 'it is not valid JSON')
  }
  if (!isObject(value)) throw notJson('it is not a JSON object')
  return new ReadBody(text, value, scan)
}

/** The same for a body that would block the event loop for too long. */
async function readSlowly(bytes: Uint8Array, mint: (prefix: string) => string): Promise<JsonBody> {
  const { text, cuts, problem } = await cutBody(bytes, mint)
  if (problem !== undefined) throw notJson(problem)
  return readInSlices(text, cuts)
}

async function readInSlices(text: string, cuts: TextCuts | undefined): Promise<JsonBody> {
  const reader = new SlicedJson(text, jsonLimits, isCarried, cuts?.list)
  do await turns.next()
  while (!reader.run(unitsATurn))
  if (reader.problem !== undefined) throw notJson(reader.problem)
  if (!reader.value) throw notJson('it is not a JSON object')
  return new ReadBody(text, reader.value, reader, { reader, cuts })
}

class ReadBody implements JsonBody {
  readonly text: string
  readonly value: JsonObject
  readonly escapes: number
  readonly cuts: TextCuts | undefined
  readonly longStrings: readonly StringSpan[] | undefined
  readonly nodes: number | undefined
  readonly #scan: { readonly members: JsonBody['members'] }

  constructor(
    text: string,
    value: JsonObject,
    scan: { readonly members: JsonBody['members'] },
    long?: { readonly reader: SlicedJson; readonly cuts: TextCuts | undefined },
  ) {
    this.escapes = long?.reader.escapes ?? 0
    this.cuts = long?.cuts
    this.longStrings = long?.reader.longStrings
    this.nodes = long?.reader.nodes
    this.text = text
    this.value = value
    this.#scan = scan
  }

  get members(): JsonBody['members'] {
    return this.#scan.members
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
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
