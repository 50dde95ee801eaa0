import type { CatalogDirectory } from '../../catalog/catalog-directory.ts'
import type { Clock } from '../../core/clock.ts'
import { Fault } from '../../core/fault.ts'
import { plural } from '../../core/plural.ts'
import type { LimitKind, LimitOwner, OwnedLimits } from '../../core/rate-limit.ts'
import type { TokenUsage } from '../../core/usage.ts'
import { promptOf } from '../../core/usage.ts'
import { notBefore } from '../../limits/levels.ts'
import {
  type Limiter,
  LimitRefusal,
  LimitsUnavailable,
  type Permit,
  type Verdict,
} from '../../limits/limiter.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import type { RequestFacts } from '../../protocols/request-facts.ts'
import { guessInputTokens } from '../charge/estimate-input.ts'
import type { InputBound } from './bound-input.ts'
import type { CheckedRequest } from './check-request.ts'
import { firstCredentials, hasLimits } from './first-credentials.ts'

export interface LimitDeps {
  readonly clock: Clock
  readonly catalog: CatalogDirectory
  readonly limiter: Limiter
  /** Whether cached input counts towards limits of tokens. */
  readonly countsCachedInput: boolean
  /** Called for each request that a limit refuses. */
  onLimitReached(owner: LimitOwner, kind: LimitKind): void
  /** Called when a candidate is skipped because the limits of its credential are used up. */
  onCredentialLimited(upstreamId: string, kind: LimitKind): void
}

/** The output of a request that names no limit, until its true length is known. */
const outputTokensGuess = 1_000

const limitNames = {
  requests: 'requests_per_minute',
  tokens: 'tokens_per_minute',
  concurrent: 'concurrent_requests',
} as const
const phrases = {
  requests: (limit: number) => `${plural(limit, 'request')} per minute`,
  tokens: (limit: number) => `${plural(limit, 'token')} per minute`,
  concurrent: (limit: number) => `${plural(limit, 'request')} at the same time`,
} as const
const ownerPhrases = {
  key: 'This API key is limited',
  key_model: 'This API key is limited for this model',
  member: 'The owner of this API key is limited',
  account: 'The account of this API key is limited',
  group: 'The group of this request is limited',
  model: 'This model is limited',
  credential: 'The upstream of this request is limited',
} as const
const remedies = {
  key: 'raise the limit of the key in the console',
  key_model: 'raise the limit of the key for the model in the console',
  member: 'ask an owner of the account for a higher limit',
  account: 'ask the operator of the gateway for a higher limit',
  group: 'ask the operator of the gateway for a higher limit',
  model: 'ask the operator of the gateway for a higher limit',
  credential: 'ask the operator of the gateway for a higher limit',
} as const

/** For a request without limits of its own. */
const noLimits: readonly OwnedLimits[] = []

/** Counts the request towards the limits that apply to it, or throws 429. Undefined without limits. */
export function takePermit(
  request: CheckedRequest,
  input: InputBound,
  deps: LimitDeps,
): Permit | undefined | Promise<Permit> {
  const { limiter, clock } = deps
  const applied = appliedTo(request, deps)
  const asks = limiter.isRemote && request.plan.candidates.some(hasLimits)
  if (!applied && !asks) return undefined
  const tokens = expectedTokens(request.facts, input)
  const credentials = asks ? firstCredentials(request, tokens, clock.monotonicMs()) : noLimits
  if (!applied && credentials.length === 0) return undefined
  const verdict = limiter.admit(applied ?? noLimits, tokens, credentials)
  return verdict instanceof Promise
    ? verdict.then((late) => permitOf(late, request, deps), refuseUnknown)
    : permitOf(verdict, request, deps)
}

function permitOf(verdict: Verdict, { protocol }: CheckedRequest, deps: LimitDeps): Permit {
  if (!(verdict instanceof LimitRefusal)) return verdict
  deps.onLimitReached(verdict.owner, verdict.kind)
  throw refuse(verdict, protocol, deps.clock)
}

/** Throws the fault that `takePermit` would throw, and counts nothing. */
export async function previewLimits(
  request: CheckedRequest,
  input: InputBound,
  deps: LimitDeps,
): Promise<void> {
  const applied = appliedTo(request, deps)
  if (!applied) return
  const preview = deps.limiter.preview(applied, expectedTokens(request.facts, input))
  const refusal = preview instanceof Promise ? await preview.catch(refuseUnknown) : preview
  if (refusal) throw refuse(refusal, request.protocol, deps.clock)
}

/** The tokens of a request that count towards limits. */
export function countedTokens(
  usage: TokenUsage,
  { countsCachedInput }: Pick<LimitDeps, 'countsCachedInput'>,
): number {
  return promptOf(usage) - (countsCachedInput ? 0 : usage.cacheRead) + usage.output
}

/** Undefined when nothing limits the request. The group is that of the first candidate, the model the requested one. */
function appliedTo(
  { caller: { key, account }, facts, plan }: CheckedRequest,
  { catalog }: LimitDeps,
): readonly OwnedLimits[] | undefined {
  const ofKey = key.limits
  const ofKeyModel = key.modelLimits?.get(facts.model)
  const ofMember = key.memberLimits
  const ofAccount = account.limits
  const ofGroup = plan.candidates[0]?.group.limits
  const ofModel = catalog.snapshot().models.get(facts.model)?.limits
  if (!(ofKey || ofKeyModel || ofMember || ofAccount || ofGroup || ofModel)) return undefined
  const applied: OwnedLimits[] = []
  if (ofKey) applied.push(ofKey)
  if (ofKeyModel) applied.push(ofKeyModel)
  if (ofMember) applied.push(ofMember)
  if (ofAccount) applied.push(ofAccount)
  if (ofGroup) applied.push(ofGroup)
  if (ofModel) applied.push(ofModel)
  return applied
}

/** The tokens of a request, until its true usage is known. */
export function expectedTokens(
  { outputTokensMax, answers }: RequestFacts,
  input: InputBound,
): number {
  return (
    guessInputTokens(input) + Math.min(outputTokensMax ?? Infinity, outputTokensGuess) * answers
  )
}

function refuse(
  { owner, kind, limit, waitMs, levels }: LimitRefusal,
  protocol: Protocol,
  clock: Clock,
): Fault {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
  const notEarlier = notBefore(levels, retryAfterSeconds * 1_000)
  const when =
    kind === 'concurrent' ? 'when a running request has ended' : `in ${retryAfterSeconds} s`
  return new Fault(
    'rate_limit_exceeded',
    `${ownerPhrases[owner]} to ${phrases[kind](limit)}. Try again ${when}, or ${remedies[owner]}.`,
    {
      retryAfterSeconds,
      limit: { name: `${owner}.${limitNames[kind]}`, kind, value: limit },
      limitHeaders: protocol.limitHeaders?.(notEarlier, clock),
    },
  )
}

/** The operator has chosen to refuse requests while the limits of all replicas cannot be counted together. */
function refuseUnknown(error: unknown): never {
  if (!(error instanceof LimitsUnavailable)) throw error
  throw new Fault(
    'unavailable',
    'The gateway cannot check the rate limits of this request now. Try again.',
    { retryAfterSeconds: 1, operatorMessage: error.message, cause: error },
  )
}
