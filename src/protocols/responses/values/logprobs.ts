import type { TokenLogprob } from '../../../core/neutral/reply-event.ts'
import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'

const encoder = new TextEncoder()

export function encodeLogprobs(logprobs: readonly TokenLogprob[]): string {
  return JSON.stringify(
    logprobs.map((each) => ({
      ...encodeOne(each),
      top_logprobs: each.top.map(encodeOne),
    })),
  )
}

function encodeOne({ token, logprob, bytes }: Omit<TokenLogprob, 'top'>): JsonObject {
  return { token, logprob, bytes: bytes ?? [...encoder.encode(token)] }
}

/** Undefined when there are none, which is nearly always. */
export function decodeLogprobs(value: unknown): TokenLogprob[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const logprobs = value.flatMap((each: unknown) => {
    const one = decodeOne(each)
    if (!one || !isObject(each)) return []
    const top = Array.isArray(each['top_logprobs']) ? each['top_logprobs'] : []
    return [{ ...one, top: top.flatMap((other: unknown) => decodeOne(other) ?? []) }]
  })
  return logprobs.length === 0 ? undefined : logprobs
}

function decodeOne(value: unknown): Omit<TokenLogprob, 'top'> | undefined {
  if (!isObject(value)) return undefined
  const token = stringAt(value, 'token')
  const { logprob, bytes } = value
  if (token === undefined || typeof logprob !== 'number') return undefined
  const isBytes = Array.isArray(bytes) && bytes.every((byte) => typeof byte === 'number')
  return { token, logprob, bytes: isBytes ? bytes : undefined }
}
