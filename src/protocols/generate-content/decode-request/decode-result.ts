import type { MediaPart, TextPart, ToolResultPart } from '../../../core/neutral/model-request.ts'
import { jsonTextOf, plainOf } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { fieldOf, listOrSingle } from '../values/read-field.ts'
import { decodeMedia } from './decode-media.ts'

/** Members in which clients put plain text, since a response must be an object. */
const textNames = ['result', 'output', 'content']

/** A `functionResponse` as the result of the call with this id. */
export function decodeResult(response: JsonObject, callId: string): ToolResultPart {
  const given = fieldOf(response, 'response')
  const { text, isError } = readResponse(given)
  const parts: (TextPart | MediaPart)[] = text === undefined ? [] : [{ type: 'text', text }]
  for (const part of listOrSingle(fieldOf(response, 'parts'))) {
    const media = isObject(part) ? decodeMedia(part) : undefined
    if (media) parts.push(media)
  }
  return {
    type: 'tool-result',
    callId,
    name: typeof response['name'] === 'string' ? response['name'] : undefined,
    form: 'function',
    parts,
    json: isObject(given) ? jsonTextOf(given) : undefined,
    isError,
  }
}

function readResponse(given: unknown): { text: string | undefined; isError: boolean } {
  const plain = plainOf(given)
  if (plain === undefined || plain === null) return { text: undefined, isError: false }
  if (typeof plain === 'string') return { text: plain, isError: false }
  const whole = jsonTextOf(given)
  if (!isObject(plain)) return { text: whole, isError: false }
  // The AI SDK repeats the name of the tool beside the content.
  const names = Object.keys(plain).filter((name) => name !== 'name')
  const [only] = names
  if (only === undefined || names.length > 1) return { text: whole, isError: false }
  const inner = plain[only]
  if (only === 'error') {
    return { text: typeof inner === 'string' ? inner : JSON.stringify(inner), isError: true }
  }
  const isText = textNames.includes(only) && typeof inner === 'string'
  return { text: isText ? inner : whole, isError: false }
}
