import type { TokenLogprob } from '../../../core/neutral/reply-event.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'

/** The log probabilities of a piece of text; undefined when there are none. */
export function decodeLogprobs(
  logprobs: unknown,
  member: 'content' | 'refusal',
): TokenLogprob[] | undefined {
  if (!isObject(logprobs)) return undefined
  const list = logprobs[member]
  if (!Array.isArray(list) || list.length === 0) return undefined
  const decoded: TokenLogprob[] = []
  for (const each of list) {
    const token = isObject(each) ? decodeToken(each) : undefined
    if (!token || !isObject(each)) continue
    const top: unknown[] = Array.isArray(each['top_logprobs']) ? each['top_logprobs'] : []
    const others = top.map((other) => (isObject(other) ? decodeToken(other) : undefined))
    decoded.push({ ...token, top: others.filter((other) => other !== undefined) })
  }
  return decoded
}

function decodeToken(value: JsonObject): Omit<TokenLogprob, 'top'> | undefined {
  const { token, logprob, bytes } = value
  if (typeof token !== 'string' || typeof logprob !== 'number') return undefined
  const list = Array.isArray(bytes) ? bytes.filter((each) => typeof each === 'number') : undefined
  return { token, logprob, bytes: list }
}

export function encodeLogprobs(logprobs: readonly TokenLogprob[]): JsonObject[] {
  return logprobs.map(({ top, bytes, ...token }) => ({
    ...token,
    bytes: bytes ?? null,
    top_logprobs: top.map((each) => ({ ...each, bytes: each.bytes ?? null })),
  }))
}
