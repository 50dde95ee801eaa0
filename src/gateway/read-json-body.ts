import { Fault } from '../core/fault.ts'
import type { JsonBody } from '../protocols/protocol.ts'
import { isObject, type JsonObject, parseJson } from '../wire/json.ts'
import { scanJson } from '../wire/scan-json.ts'

const depthMax = 128
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** 400 for anything that is not one JSON object that every reader would understand alike. */
export function readJsonBody(bytes: Uint8Array): JsonBody {
  return readJsonText(decode(bytes))
}

export function readJsonText(text: string): JsonBody {
  const scan = scanJson(text, depthMax)
  if (!scan.ok) throw notJson(scan.problem)
  const value = parseJson(text)
  if (value === undefined) {
    throw notJson(text.trim() === '' ? 'it is empty' : 'it is not valid JSON')
  }
  if (!isObject(value)) throw notJson('it is not a JSON object')
  return new ReadBody(text, value, scan)
}

class ReadBody implements JsonBody {
  readonly text: string
  readonly value: JsonObject
  readonly #scan: { readonly members: JsonBody['members'] }

  constructor(text: string, value: JsonObject, scan: { readonly members: JsonBody['members'] }) {
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
