import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import type { SseFrame } from '../../wire/sse-framer.ts'

const openBrace = 0x7b
/** More bytes than any error description has. */
const faultBytesMax = 64 * 1024
const decoder = new TextDecoder()

/** An error that the service writes into an event stream as plain JSON, without `data:` before it. */
export function bareFault({ bytes }: SseFrame): JsonObject | undefined {
  if (bytes[0] !== openBrace || bytes.length > faultBytesMax) return undefined
  const value = parseJson(decoder.decode(bytes))
  return isObject(value) && isObject(value['error']) ? value : undefined
}
