import type { AccountRecord } from '../../accounts/account-directory.ts'
import type { CatalogDirectory } from '../../catalog/catalog-directory.ts'
import type { CatalogSnapshot, Group } from '../../catalog/catalog-snapshot.ts'
import { Fault } from '../../core/fault.ts'
import type { LimitKind, LimitOwner, OwnedLimits } from '../../core/limits/rate-limit.ts'
import type { TokenUsage } from '../../core/money/usage.ts'
import { promptOf } from '../../core/money/usage.ts'
import { plural } from '../../core/text/plural.ts'
import type { Clock } from '../../core/time/clock.ts'
import { wholeSeconds } from '../../core/time/whole-seconds.ts'
import type { KeyRecord } from '../../keys/key-record.ts'
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
import { hasLimits } from '../../routing/route-set.ts'
import { guessInputTokens } from '../charge/estimate-input.ts'
import type { InputBound } from './bound-input.ts'
import type { CheckedRequest } from './check-request.ts'
import { firstCredentials } from './first-credentials.ts'

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
  throw refuse(verdict, protocol)
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
  if (refusal) throw refuse(refusal, request.protocol)
}

/** The tokens of a request that count towards limits. */
export function countedTokens(
  usage: TokenUsage,
  { countsCachedInput }: Pick<LimitDeps, 'countsCachedInput'>,
): number {
  return promptOf(usage) - (countsCachedInput ? 0 : usage.cacheRead) + usage.output
}

interface AppliedLimits {
  readonly account: AccountRecord
  readonly catalog: CatalogSnapshot
  readonly group: Group | undefined
  readonly model: string
  readonly limits: readonly OwnedLimits[] | undefined
}

/** The limits of the last request of each key, because most requests of a key have the same ones. */
const lastApplied = new WeakMap<KeyRecord, AppliedLimits>()

/** Undefined when nothing limits the request. The group is that of the first candidate, the model the requested one. */
function appliedTo(
  { caller: { key, account }, facts: { model }, plan }: CheckedRequest,
  deps: LimitDeps,
): readonly OwnedLimits[] | undefined {
  const catalog = deps.catalog.snapshot()
  const group = plan.candidates[0]?.group
  const last = lastApplied.get(key)
  const isSame = last?.model === model && last.group === group && last.account === account
  if (isSame && last.catalog === catalog) return last.limits
  const all = [
    key.limits,
    key.modelLimits?.get(model),
    key.memberLimits,
    account.limits,
    group?.limits,
    catalog.models.get(model)?.limits,
  ].filter((each) => each !== undefined)
  const limits = all.length === 0 ? undefined : all
  lastApplied.set(key, { account, catalog, group, model, limits })
  return limits
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
  { limitHeaders: headers }: Protocol,
): Fault {
  const retryAfterSeconds = Math.max(1, wholeSeconds(waitMs))
  const when =
    kind === 'concurrent' ? 'when a running request has ended' : `in ${retryAfterSeconds} s`
  return new Fault(
    'rate_limit_exceeded',
    `${ownerPhrases[owner]} to ${phrases[kind](limit)}. Try again ${when}, or ${remedies[owner]}.`,
    {
      retryAfterSeconds,
      limit: { name: `${owner}.${limitNames[kind]}`, kind, value: limit },
      limitHeaders: headers && { headers, levels: notBefore(levels, retryAfterSeconds * 1_000) },
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
