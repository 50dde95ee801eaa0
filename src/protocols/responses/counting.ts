import { parseExact, writeJson } from '../../wire/exact-json.ts'
import { countAt, isObject, type JsonObject } from '../../wire/json.ts'
import type { Counting } from '../protocol.ts'
import type { JsonBody, PathFacts, RequestFacts } from '../request-facts.ts'
import { decodeRequest } from './decode-request/decode-request.ts'
import { decodeFacts } from './pass-through/decode-facts.ts'
import { encodeForward } from './pass-through/pass-through.ts'

export const counting: Counting = {
  decodeCount,
  decodeCountRequest: decodeRequest,
  encodeForward,
  encodeCountRequest,
  readCount,
  encodeCount,
}

/** A count is never streamed, whatever the body says. */
function decodeCount(body: JsonBody, path: PathFacts): RequestFacts {
  return { ...decodeFacts(body, path), isStream: false }
}

/** The fields that determine the size of a prompt. The call accepts no others. */
const counted = [
  'model',
  'instructions',
  'input',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'truncation',
]

function encodeCountRequest(generatingBody: string): string {
  const body = parseExact(generatingBody)
  if (!isObject(body)) return generatingBody
  return writeJson(Object.fromEntries(counted.map((name) => [name, body[name]])))
}

function readCount(value: unknown): number | undefined {
  return isObject(value) ? countAt(value, 'input_tokens') : undefined
}

function encodeCount(inputTokens: number): JsonObject {
  return { object: 'response.input_tokens', input_tokens: inputTokens }
}
