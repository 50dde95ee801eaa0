import type { AccountDirectory } from '../../accounts/account-directory.ts'
import type { ResponseStore } from '../../conversations/response-store.ts'
import { Fault } from '../../core/fault.ts'
import type { TokenUsage } from '../../core/money/usage.ts'
import type { RequestSpan } from '../../core/telemetry/request-span.ts'
import { noteText } from '../../core/upstreams/attempt-note.ts'
import type { Priority } from '../../core/upstreams/priority.ts'
import type { QueueOutcome } from '../../core/upstreams/queue-outcome.ts'
import type { KeyDirectory } from '../../keys/key-directory.ts'
import type { Settlement } from '../../ledger/ledger.ts'
import type { Routing } from '../../routing/routing.ts'
import type { UsageRecord } from '../../usage/usage-record.ts'
import { usageRecords } from '../../usage/usage-records.ts'
import { countedTokens, type LimitDeps } from '../admit/rate-limit.ts'
import { chargeOf, type Ending, type Exchange, rateOf } from '../exchange.ts'
import type { Attempt, AttemptDeps } from '../forward/attempt.ts'

export interface ForwardDeps extends AttemptDeps, LimitDeps {
  readonly routing: Routing
  /** For checks that are repeated after a wait. */
  readonly keys: KeyDirectory
  readonly accounts: AccountDirectory
  /** Waits before a retry. */
  pause(ms: number): Promise<void>
  /** Called when a retry was worthwhile but the retry budget is used up. */
  onRetryDenied(): void
  /** Called when a wait for a free upstream has ended. */
  onQueued(priority: Priority, outcome: QueueOutcome, waitedMs: number): void
  /** Called once for each settled request. */
  onSettled(record: UsageRecord, usage: TokenUsage, span: RequestSpan | undefined): void
  /** Reports a fault to the operator only. */
  onUpstreamFault(exchange: Exchange, fault: Fault): void
  /** The header with the cost of a whole reply. */
  readonly costHeader: string
  /** The header that names the answering model, if it is not the requested one. */
  readonly modelHeader: string
  /** The header that lists what a translation has dropped or changed. */
  readonly warningsHeader: string
  /** The header with the time that the request waited for an upstream. */
  readonly queueHeader: string
  readonly responses: ResponseStore
}

/** Thrown when the exchange has been settled: no other upstream may be tried. */
export class ExchangeSettled extends Error {
  override readonly name = 'ExchangeSettled'
  readonly fault: Fault

  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault.message, options)
    this.fault = fault
  }
}

/**
 * Charges the usage and writes the usage row in one step, once per exchange. If this fails, the answer must not be
 * sent: the hold remains, and recovery turns it into the only entry of this request.
 */
export async function settle(
  exchange: Exchange,
  ending: Ending,
  deps: ForwardDeps,
): Promise<Settlement> {
  let tokens = 0
  let endedMs: number | undefined
  try {
    const rating = rateOf(exchange, ending)
    tokens = countedTokens(rating.usage, deps)
    const excessNano = rating.costNano - exchange.hold.grantedNano
    if (excessNano > 0n) await exchange.hold.cover(excessNano)
    endedMs = deps.clock.monotonicMs()
    const { settlement, record } = chargeOf(exchange, ending, rating, endedMs)
    await exchange.hold.settleSoon(settlement, usageRecords(record, settlement.usage))
    deps.onSettled(record, settlement.usage, exchange.trace.span)
    return settlement
  } catch (error) {
    throw unsettled(exchange, error, deps)
  } finally {
    exchange.permit?.end(tokens, endedMs)
    exchange.attemptPermit?.end(tokens, endedMs)
  }
}

/** The fault for every failed settlement. */
function unsettled(exchange: Exchange, cause: unknown, deps: ForwardDeps): ExchangeSettled {
  const fault = new Fault(
    'unavailable',
    'The gateway could not record this request, so it withholds the response. Try again.',
    {
      retryAfterSeconds: 1,
      operatorMessage: `settlement failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    },
  )
  deps.onUpstreamFault(exchange, fault)
  return new ExchangeSettled(fault, { cause })
}

/** Records one attempt for the usage row, and reports a failure to the upstream's health. */
export function noteAttempt(
  exchange: Exchange,
  attempt: Attempt,
  deps: ForwardDeps,
  outcome: { fault?: Fault; firstByteMs?: number },
): void {
  const { fault, firstByteMs } = outcome
  const nowMs = deps.clock.monotonicMs()
  const status = fault ? (fault.details.upstream?.status ?? fault.status) : 200
  const reason = fault && attempt.reasonFor(fault)
  if (attempt.span) {
    const answered = fault ? attempt.upstreamStatus : status
    attempt.span.end = { ms: nowMs - exchange.call.startedMs, status: answered, reason }
  }
  exchange.trace.attempts.push({
    upstreamId: attempt.candidate.route.upstream.id,
    credential: attempt.candidate.credential?.hint,
    status,
    reason,
    firstByteMs,
    totalMs: nowMs - attempt.startedMs,
    note: noteOf(attempt),
  })
  if (!fault) return
  attempt.fail(fault, nowMs)
  if (attempt.stopReason !== 'client_gone') deps.onUpstreamFault(exchange, fault)
}

/** Why the candidate was chosen, and what was changed for it. */
function noteOf({ why, changes, upstreamStatus: answered }: Attempt): string | undefined {
  if (why === undefined && changes === undefined && answered === undefined) return undefined
  return noteText({ ...why, ...(changes && { changes }), ...(answered && { answered }) })
}
