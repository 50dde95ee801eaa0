import type { ResponseStore } from '../conversations/response-store.ts'
import { Fault } from '../core/fault.ts'
import type { UsageRecord } from '../usage/usage-record.ts'
import type { Attempt, AttemptParts } from './attempt.ts'
import { type Ending, type Exchange, settleExchange } from './exchange.ts'

export interface ForwardParts extends AttemptParts {
  /** Called once for each settled request. */
  onSettled(record: UsageRecord): void
  /** What the operator should read and no caller is told. */
  onTrouble(exchange: Exchange, fault: Fault): void
  /** The header in which whole answers carry their cost. */
  readonly costHeader: string
  /** The header that tells what a translation has left out or changed. */
  readonly warningsHeader: string
  readonly responses: ResponseStore
}

/** Thrown when the exchange's one settlement is behind us: no other upstream may be tried any more. */
export class ExchangeOver extends Error {
  override readonly name = 'ExchangeOver'
  readonly fault: Fault

  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault.message, options)
    this.fault = fault
  }
}

/**
 * Settles the exchange and returns its cost. When even that fails the answer must not go out: the hold stays
 * where it is, and recovery turns it into the one entry that this request gets.
 */
export function settle(exchange: Exchange, ending: Ending, parts: ForwardParts): bigint {
  try {
    const { costNano, record } = settleExchange(exchange, ending, parts.clock)
    parts.onSettled(record)
    return costNano
  } catch (error) {
    const fault = new Fault(
      'unavailable',
      'The gateway could not record this request, so its answer is withheld. Try again.',
      {
        retryAfterSeconds: 1,
        operatorMessage: `settlement failed: ${error instanceof Error ? error.message : String(error)}`,
        cause: error,
      },
    )
    parts.onTrouble(exchange, fault)
    throw new ExchangeOver(fault, { cause: error })
  }
}

export function noteAttempt(
  exchange: Exchange,
  attempt: Attempt,
  parts: ForwardParts,
  outcome: { fault?: Fault; firstByteMs?: number },
): void {
  const { fault, firstByteMs } = outcome
  exchange.story.attempts.push({
    upstreamId: attempt.candidate.route.upstream.id,
    status: fault ? (fault.details.upstream?.status ?? fault.status) : 200,
    reason: fault?.code,
    firstByteMs,
    totalMs: parts.clock.monotonicMs() - attempt.startedMs,
  })
  if (fault && attempt.stopReason !== 'client_gone') parts.onTrouble(exchange, fault)
}
