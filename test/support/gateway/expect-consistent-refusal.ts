import { expect } from 'bun:test'
import type { Reply } from './ask.ts'

/** `120ms`, `6s` and `1m6s` from now, or a time. */
function readResetMs(text: string, nowMs: number): number {
  if (text.includes('T')) return Date.parse(text) - nowMs
  if (text.endsWith('ms')) return Number.parseInt(text, 10)
  const [, minutes = '0', seconds] = /^(?:(\d+)m)?(\d+)s$/.exec(text) ?? []
  return Number(minutes) * 60_000 + Number(seconds) * 1_000
}

/** A 429 of a rate limit. No header may send the client back before `Retry-After`. `nowMs`: before the request. */
export function expectConsistentRefusal({ status, headers, text }: Reply, nowMs: number): void {
  expect({ status, text }).toMatchObject({ status: 429 })
  const retryAfterMs = Number(headers.get('retry-after')) * 1_000
  expect(retryAfterMs).toBeGreaterThanOrEqual(1_000)
  const isOfRequests = text.includes('requests_per_minute')
  for (const [name, value] of headers) {
    if (!/^(?:x|anthropic)-ratelimit-/.test(name)) continue
    const seen = `${name}: ${value}, retry-after: ${retryAfterMs} ms`
    const isRight = name.includes('-reset')
      ? readResetMs(value, nowMs) >= retryAfterMs
      : name.includes('-remaining')
        ? Number(value) === 0 || !isOfRequests || !name.includes('requests')
        : Number(value) > 0
    expect(isRight ? '' : seen).toBe('')
  }
}
