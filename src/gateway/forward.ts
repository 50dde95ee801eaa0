import { Fault } from '../core/fault.ts'
import { Attempt, sendAttempt } from './attempt.ts'
import type { Answer } from './call.ts'
import type { Exchange } from './exchange.ts'
import { limits } from './limits.ts'
import { passStream } from './pass-stream.ts'
import { passWhole } from './pass-whole.ts'
import { ExchangeOver, type ForwardParts, noteAttempt, settle } from './settling.ts'
import { faultOfError, faultOfResponse, isWorthAnotherTry } from './upstream-fault.ts'

/** Nobody reads this answer: its reader has gone. */
const answerToNobody: Answer = { status: 499, headers: {}, body: '' }

/**
 * Tries the candidates in order until one answers. Before the first byte has gone to the caller a failure may
 * be tried elsewhere; after it, never. The hold is settled exactly once on every path that leaves here.
 */
export async function forward(exchange: Exchange, parts: ForwardParts): Promise<Answer> {
  let fault: Fault | undefined
  let tried: Attempt | undefined
  for (const candidate of exchange.candidates.slice(0, limits.attemptsMax)) {
    exchange.story.groupId = candidate.group.id
    const attempt = new Attempt(exchange, candidate, parts)
    tried = attempt
    try {
      const response = await sendAttempt(exchange, attempt, parts)
      if (response.status !== 200) throw await faultOfResponse(exchange, attempt, response)
      exchange.story.upstreamRequestId = upstreamIdOf(response.headers)
      const { passage } = attempt
      if (!passage) throw new Error('an attempt was answered before it was written')
      return exchange.facts.isStream
        ? await passStream(exchange, attempt, passage, response, parts)
        : await passWhole(exchange, attempt, passage, response, parts)
    } catch (error) {
      attempt.watched.stop()
      if (error instanceof ExchangeOver) throw error.fault
      fault = faultOfError(attempt, error)
      noteAttempt(exchange, attempt, parts, { fault })
      if (attempt.stopReason === 'client_gone') break
      // An answer that is being thrown away must not go on costing money.
      attempt.stop('given_up')
      if (!isWorthAnotherTry(fault)) break
    }
  }
  return endWithoutAnswer(exchange, tried, fault ?? noUpstream(), parts)
}

/** Nothing was delivered, so nothing is charged, unless the caller went away while the upstream was at work. */
async function endWithoutAnswer(
  exchange: Exchange,
  tried: Attempt | undefined,
  fault: Fault,
  parts: ForwardParts,
): Promise<Answer> {
  const candidate = tried?.candidate ?? exchange.candidates[0]
  if (!candidate) throw fault
  const isGone = tried?.stopReason === 'client_gone'
  try {
    await settle(
      exchange,
      isGone
        ? {
            status: 499,
            reason: 'client_gone',
            candidate,
            reading: { usage: undefined, deliveredTokens: () => 0 },
          }
        : { status: fault.status, reason: fault.code, candidate, reading: undefined },
      parts,
    )
  } catch (error) {
    if (error instanceof ExchangeOver) throw error.fault
    throw error
  }
  if (isGone) return answerToNobody
  throw exchange.story.attempts.length > 1 ? lastWord(fault) : fault
}

/** Clients that repeat by themselves would multiply what has been tried at several upstreams. */
function lastWord({ code, message, details }: Fault): Fault {
  return new Fault(code, message, { ...details, isFinal: code === 'upstream_error' })
}

function noUpstream(): Fault {
  return new Fault('no_upstream_available', 'No upstream can answer this model now.')
}

/** OpenAI and Anthropic name the header differently; Google has none. */
function upstreamIdOf(headers: Headers): string | undefined {
  return (headers.get('x-request-id') ?? headers.get('request-id'))?.slice(0, 200)
}
