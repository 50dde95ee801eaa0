import type { Fault } from '../../core/fault.ts'
import { clientGoneResponse, type GatewayResponse } from '../call.ts'
import { ExchangeSettled, type ForwardDeps, noteAttempt, settle } from '../charge/settle.ts'
import type { Ending, Exchange } from '../exchange.ts'
import { estimateHidden } from '../reply/hidden-reasoning.ts'
import { StreamPass } from '../reply/pass-stream.ts'
import { passWhole } from '../reply/pass-whole.ts'
import { headersFor } from '../reply/stream-headers.ts'
import { limitHeadersOf, withTraceHeaders } from '../reply/trace-headers.ts'
import { Attempt, releaseMedia, sendAttempt } from './attempt.ts'
import { finalFault } from './final-fault.ts'
import { firstAttempt, type NextAttempt, nextAttempt, queuedAttempt } from './next-attempt.ts'
import { noneFree } from './none-free.ts'
import { shortestSkip } from './take-credential.ts'
import { faultOfError } from './upstream-fault.ts'

/**
 * Tries the candidates in order until one answers. Before the first event has been sent to the client a failure may be
 * retried elsewhere, never afterwards. Every path out of this function settles the hold exactly once.
 */
export async function forward(exchange: Exchange, deps: ForwardDeps): Promise<GatewayResponse> {
  deps.routing.budget.deposit()
  const failed: Attempt[] = []
  let fault: Fault | undefined
  const first = firstAttempt(exchange, deps)
  let next = first instanceof Promise ? await first : first
  if (!next && deps.routing.queue) next = await queuedAttempt({ exchange, failed, deps })
  while (next) {
    const attempt = beginAttempt(exchange, next, deps)
    try {
      return exchange.facts.isStream
        ? await answerStream(exchange, attempt, failed, deps)
        : await passWhole(exchange, attempt, await sendAttempt(exchange, attempt, deps), deps)
    } catch (error) {
      fault = noteFailure(exchange, attempt, error, deps)
      failed.push(attempt)
    }
    next = await nextAttempt(exchange, failed, fault, deps)
  }
  return endWithoutAnswer(exchange, failed, fault, deps)
}

async function answerStream(
  exchange: Exchange,
  attempt: Attempt,
  failed: Attempt[],
  deps: ForwardDeps,
): Promise<GatewayResponse> {
  const response = await sendAttempt(exchange, attempt, deps)
  const startOver = (from: StreamPass, fault: Fault) =>
    openAnother(exchange, failed, from, fault, deps)
  const pass = new StreamPass(exchange, attempt, response, startOver, deps)
  await pass.begin()
  if (attempt.hasLeft) {
    await pass.readOn()
    return clientGoneResponse
  }
  return {
    status: 200,
    headers: headersFor(exchange, attempt, deps),
    limitHeaders: limitHeadersOf(exchange),
    body: pass.readable(),
  }
}

/**
 * Retries a stream that failed before its first event, although the client already has its headers. Undefined when the
 * client has disconnected; throws the fault when no upstream answers.
 */
async function openAnother(
  exchange: Exchange,
  failed: Attempt[],
  from: StreamPass,
  cause: Fault,
  deps: ForwardDeps,
): Promise<StreamPass | undefined> {
  let fault = cause
  noteAttempt(exchange, from.attempt, deps, { fault })
  from.attempt.stop('given_up')
  failed.push(from.attempt)
  for (;;) {
    const keepAlive = (nowMs: number) => from.keepAlive(nowMs)
    const next = await nextAttempt(exchange, failed, fault, deps, keepAlive)
    if (!next) break
    const attempt = beginAttempt(exchange, next, deps)
    attempt.watched.onTick = keepAlive
    try {
      const response = await sendAttempt(exchange, attempt, deps)
      return from.successor(attempt, response)
    } catch (error) {
      fault = noteFailure(exchange, attempt, error, deps)
      failed.push(attempt)
    }
  }
  await endWithoutAnswer(exchange, failed, fault, deps)
  return undefined
}

function beginAttempt(
  exchange: Exchange,
  { candidate, why, isFresh }: NextAttempt,
  deps: ForwardDeps,
): Attempt {
  exchange.trace.groupId = candidate.group.id
  exchange.trace.model = candidate.model.id
  const attempt = new Attempt(exchange, candidate, why, deps)
  attempt.isFresh = isFresh
  // From here on the attempt itself counts.
  exchange.slot?.end()
  exchange.slot = undefined
  return attempt
}

function noteFailure(
  exchange: Exchange,
  attempt: Attempt,
  error: unknown,
  deps: ForwardDeps,
): Fault {
  attempt.watched.stop()
  // The provider has not counted the attempt either.
  if (!attempt.wasSent) exchange.attemptPermit?.giveBack()
  if (error instanceof ExchangeSettled) {
    releaseMedia(exchange)
    throw error.fault
  }
  const fault = faultOfError(attempt, error)
  noteAttempt(exchange, attempt, deps, { fault })
  // A discarded answer must not continue to cost money.
  if (attempt.stopReason !== 'client_gone') attempt.stop('given_up')
  return fault
}

/** Nothing was delivered, so nothing is charged, unless the client disconnected while the upstream was working. */
async function endWithoutAnswer(
  exchange: Exchange,
  failed: readonly Attempt[],
  cause: Fault | undefined,
  deps: ForwardDeps,
): Promise<GatewayResponse> {
  releaseMedia(exchange)
  const { refusal } = exchange
  const fault = refusal ?? cause ?? noneFree(exchange, deps)
  const tried = failed.at(-1)
  const candidate = tried?.candidate ?? exchange.plan.candidates[0]
  if (!candidate) throw fault
  // The request was sent nowhere, so it counts towards no limit.
  if (!failed.some(({ wasSent }) => wasSent)) exchange.permit?.giveBack()
  if (exchange.hasLeftQueue === true) {
    const ending = { status: 499, reason: 'client_gone', candidate, reading: undefined } as const
    await settleOnce(exchange, ending, deps)
    return clientGoneResponse
  }
  // A failure of the upstream after the client has disconnected counts like any other failure.
  const isGone = tried?.hasLeft === true && tried.stopReason !== 'given_up'
  await settleOnce(
    exchange,
    isGone
      ? {
          status: 499,
          reason: 'client_gone',
          candidate,
          reading: { usage: undefined, deliveredTokens: () => 0 },
          leftMs: tried.leftMs,
          hiddenTokens: () => estimateHidden(candidate, deps.clock.monotonicMs() - tried.startedMs),
        }
      : { status: fault.status, reason: fault.code, candidate, reading: undefined },
    deps,
  )
  if (isGone) return clientGoneResponse
  const final = refusal ?? finalFault(fault, failed, shortestSkip(exchange))
  throw withTraceHeaders(final, exchange, deps)
}

async function settleOnce(exchange: Exchange, ending: Ending, deps: ForwardDeps): Promise<void> {
  try {
    await settle(exchange, ending, deps)
  } catch (error) {
    if (error instanceof ExchangeSettled) throw error.fault
    throw error
  }
}
