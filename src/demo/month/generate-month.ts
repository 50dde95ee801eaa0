import type { RequestReason } from '../../core/codes.ts'
import { newRequestId } from '../../core/id.ts'
import { noUsage, type TokenUsage } from '../../core/money/usage.ts'
import type { AttemptRecord } from '../../usage/usage-record.ts'
import { type DemoCaller, demoCallers } from './demo-callers.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'

export interface SampleRequest {
  readonly requestId: string
  readonly at: number
  readonly caller: DemoCaller
  readonly model: string
  readonly protocol: string
  /** Undefined when the request was refused before a group was chosen. */
  readonly groupId: string | undefined
  readonly isStream: boolean
  readonly status: number
  readonly reason: RequestReason | undefined
  readonly usage: TokenUsage
  readonly firstTokenMs: number | undefined
  readonly totalMs: number
  readonly attempts: readonly AttemptRecord[]
  readonly warnings: readonly string[]
}

export const dayMs = 86_400_000
const hourMs = 3_600_000
const seed = 20_261
const upstreamId = 'demo'

/** A month of requests up to now, oldest first: working days, weekends and nights, a few failures, slow growth. */
export function generateMonth(nowMs: number): SampleRequest[] {
  const today = nowMs - (nowMs % dayMs)
  const requests = demoCallers.flatMap((caller, index) => {
    const chance = seededRandom(seed + index)
    const [first, last] = caller.days
    const found: SampleRequest[] = []
    for (let ago = first; ago >= last; ago -= 1) {
      const dayAt = today - ago * dayMs
      for (let left = countOf(caller, dayAt, ago, chance); left > 0; left -= 1) {
        found.push(sampleRequest(caller, momentOf(caller, dayAt, chance), chance))
      }
    }
    return found
  })
  return requests.filter(({ at }) => at < nowMs).sort((one, other) => one.at - other.at)
}

function countOf(caller: DemoCaller, dayAt: number, ago: number, chance: SeededRandom): number {
  const weekday = new Date(dayAt).getUTCDay()
  const isWeekend = weekday === 0 || weekday === 6
  if (isWeekend && !caller.worksAtWeekends) return chance.between(0, 2)
  const growth = 1 + (30 - ago) * 0.015
  return Math.round(caller.perDay * growth * (isWeekend ? 0.55 : 1) * (0.75 + chance.next() * 0.5))
}

/** Requests are more frequent around the middle of the hours. */
function momentOf({ hours: [from, to] }: DemoCaller, dayAt: number, chance: SeededRandom): number {
  const place = (chance.next() + chance.next()) / 2
  return Math.floor(dayAt + (from + place * (to - from)) * hourMs)
}

function sampleRequest(caller: DemoCaller, at: number, chance: SeededRandom): SampleRequest {
  const outcome = chance.pick({ fine: 955, retried: 20, failed: 9, limited: 10, unknown: 6 })
  const isStream = chance.next() < caller.streamShare
  const refused: SampleRequest = {
    requestId: newRequestId(at, chance.bytes),
    at,
    caller,
    model: chance.pick(caller.models),
    protocol: chance.pick(caller.protocols),
    groupId: undefined,
    isStream,
    status: 429,
    reason: 'rate_limit_exceeded',
    usage: noUsage,
    firstTokenMs: undefined,
    totalMs: 1,
    attempts: [],
    warnings: [],
  }
  if (outcome === 'limited') return refused
  if (outcome === 'unknown') {
    return { ...refused, model: 'demo-medium', status: 404, reason: 'model_not_found' }
  }
  const groupId = caller.groups[chance.next() < 0.93 ? 0 : caller.groups.length - 1]
  const firstByteMs = chance.skewed(180, 1_400)
  if (outcome === 'failed') {
    const down = attempt(503, 'upstream_error', firstByteMs, firstByteMs)
    const attempts = [down, attempt(502, 'upstream_error', 40, 41)]
    const totalMs = firstByteMs + 41
    return { ...refused, groupId, status: 502, reason: 'upstream_error', totalMs, attempts }
  }
  const usage = sampleUsage(caller, chance)
  const answerMs = Math.round(usage.output * chance.between(9, 22))
  const waitedMs = outcome === 'retried' ? chance.between(60, 900) : 0
  const good = attempt(200, undefined, firstByteMs, firstByteMs + answerMs)
  const overloaded = attempt(529, 'upstream_error', waitedMs, waitedMs)
  return {
    ...refused,
    groupId,
    status: 200,
    reason: undefined,
    usage,
    firstTokenMs: waitedMs + firstByteMs + chance.between(2, 40),
    totalMs: waitedMs + firstByteMs + answerMs,
    attempts: outcome === 'retried' ? [overloaded, good] : [good],
    warnings: caller.reasons && chance.next() < 0.03 ? ['temperature_dropped'] : [],
  }
}

function sampleUsage(caller: DemoCaller, chance: SeededRandom): TokenUsage {
  const whole = chance.skewed(...caller.input)
  const cacheRead = chance.next() < 0.9 ? Math.floor(whole * caller.cachedShare * chance.next()) : 0
  const cacheWrite5m = cacheRead > 0 ? Math.floor((whole - cacheRead) * 0.4) : 0
  const output = chance.skewed(...caller.output)
  const reasoning = caller.reasons ? Math.floor(output * 0.4 * chance.next()) : 0
  const input = whole - cacheRead - cacheWrite5m
  return { ...noUsage, input, cacheRead, cacheWrite5m, output, reasoning }
}

function attempt(
  status: number,
  reason: RequestReason | undefined,
  firstByteMs: number,
  totalMs: number,
): AttemptRecord {
  const credential = undefined
  return { upstreamId, credential, status, reason, firstByteMs, totalMs, note: undefined }
}
