import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import type { SseFrame } from '../../wire/sse-framer.ts'

const openBrace = 0x7b
/** No failure is described at more length. */
const faultBytesMax = 64 * 1024
const decoder = new TextDecoder()

/** A failure that the service writes into an event stream as plain JSON, without `data:` before it. */
export function bareFault({ bytes }: SseFrame): JsonObject | undefined {
  if (bytes[0] !== openBrace || bytes.length > faultBytesMax) return undefined
  const value = parseJson(decoder.decode(bytes))
  return isObject(value) && isObject(value['error']) ? value : undefined
}
