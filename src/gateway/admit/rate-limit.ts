import type { Clock } from '../../core/clock.ts'
import { Fault } from '../../core/fault.ts'
import type { RateLevels } from '../../core/rate-limit.ts'
import type { TokenUsage } from '../../core/usage.ts'
import { promptOf } from '../../core/usage.ts'
import {
  type AppliedLimits,
  type LimitRefusal,
  Permit,
  type RateLimits,
} from '../../limits/rate-limits.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { guessInputTokens } from '../charge/estimate-input.ts'
import type { Caller } from './authenticate.ts'
import type { InputBound } from './bound-input.ts'
import type { CheckedRequest } from './check-request.ts'

export interface LimitDeps {
  readonly clock: Clock
  readonly rateLimits: RateLimits
  /** Whether cached input counts towards limits of tokens. */
  readonly countsCachedInput: boolean
}

/** The output of a request that names no limit, until its true length is known. */
const outputTokensGuess = 1_000

const limitNames = {
  requests: 'requests_per_minute',
  tokens: 'tokens_per_minute',
  concurrent: 'concurrent_requests',
} as const
const phrases = {
  requests: 'requests per minute',
  tokens: 'tokens per minute',
  concurrent: 'requests at the same time',
} as const

/** Takes the request from the limits that apply to it, or throws 429. Undefined without limits. */
export function takePermit(
  { caller, facts, protocol }: CheckedRequest,
  input: InputBound,
  { rateLimits, clock }: LimitDeps,
): Permit | undefined {
  const applied = appliedTo(caller)
  if (!applied) return undefined
  const outcome = rateLimits.admit(applied, expectedTokens(facts, input))
  if (outcome instanceof Permit) return outcome
  throw refuse(outcome, rateLimits.levels(applied), protocol, clock.nowMs())
}

/** Throws what `takePermit` would throw, and takes nothing. */
export function foreseeLimits(
  { caller, facts, protocol }: CheckedRequest,
  input: InputBound,
  { rateLimits, clock }: LimitDeps,
): void {
  const applied = appliedTo(caller)
  const refusal = applied && rateLimits.foresee(applied, expectedTokens(facts, input))
  if (refusal) throw refuse(refusal, rateLimits.levels(applied), protocol, clock.nowMs())
}

/** The tokens of a request that count towards limits. */
export function countedTokens(
  usage: TokenUsage,
  { countsCachedInput }: Pick<LimitDeps, 'countsCachedInput'>,
): number {
  return promptOf(usage) - (countsCachedInput ? 0 : usage.cacheRead) + usage.output
}

function appliedTo({ key }: Caller): readonly AppliedLimits[] | undefined {
  return key.limits && [{ owner: 'key', id: key.id, values: key.limits }]
}

function expectedTokens({ outputTokensMax, answers }: CheckedRequest['facts'], input: InputBound) {
  return (
    guessInputTokens(input) + Math.min(outputTokensMax ?? Infinity, outputTokensGuess) * answers
  )
}

function refuse(
  { owner, kind, limit, waitMs }: LimitRefusal,
  levels: RateLevels,
  protocol: Protocol,
  nowMs: number,
): Fault {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
  const when = kind === 'concurrent' ? 'when one of them has ended' : `in ${retryAfterSeconds} s`
  return new Fault(
    'rate_limit_exceeded',
    `This API key is limited to ${limit} ${phrases[kind]}. Try again ${when}, or raise the limit of the ${owner} in the console.`,
    {
      retryAfterSeconds,
      limit: { name: `${owner}.${limitNames[kind]}`, kind, value: limit },
      headers: protocol.limitHeaders?.(levels, nowMs) ?? {},
    },
  )
}
