import type { MediaPart, TextPart, ToolResultPart } from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import { encodeMedia } from './encode-media.ts'

export interface EncodedResult {
  readonly part: JsonObject
  /** Media that cannot be inside the response. They follow all responses of the turn. */
  readonly beside: readonly JsonObject[]
}

/** A `functionResponse`. The newest models accept ids, and images inside the response. */
export function encodeResult(
  result: ToolResultPart,
  isNewest: boolean,
  notes: Notes,
): EncodedResult {
  const media = result.parts.some(isMedia) ? result.parts.filter(isMedia) : noMedia
  const inside = isNewest ? media.filter(({ source }) => source.type === 'base64') : []
  const outside = isNewest ? media.filter(({ source }) => source.type !== 'base64') : media
  const functionResponse = {
    id: isNewest ? result.callId : undefined,
    name: result.name ?? result.callId,
    response: encodeResponse(result),
    parts: inside.length === 0 ? undefined : inside.map((part) => encodeMedia(part, notes)),
  }
  return {
    part: { functionResponse },
    beside: outside.length === 0 ? noMedia : outside.map((part) => encodeMedia(part, notes)),
  }
}

const noMedia: readonly never[] = []

function isMedia(part: TextPart | MediaPart): part is MediaPart {
  return part.type === 'media'
}

/** The response must be an object. Text that is a JSON object is sent as it is. */
function encodeResponse({ json, isError, parts }: ToolResultPart): unknown {
  if (json !== undefined) {
    const value = parseJson(json)
    return isObject(value) ? new RawJson(json) : { result: new RawJson(json) }
  }
  const text = parts
    .filter((part): part is TextPart => part.type === 'text')
    .map((part) => part.text)
    .join('\n')
  if (isError) return { error: text }
  const isOne = text.trimStart().startsWith('{') && isObject(parseJson(text))
  return isOne ? new RawJson(text) : { result: text }
}
