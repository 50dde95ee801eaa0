import { Fault } from '../../core/fault.ts'
import { formatDollars } from '../../core/money/money.ts'
import { joinSlowly } from '../../core/runtime/join-slowly.ts'
import type { UpstreamResponse } from '../../http-out/reply.ts'
import { clientGoneResponse, type GatewayResponse } from '../call.ts'
import { type ForwardDeps, noteAttempt, settle } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from '../forward/attempt.ts'
import type { WholeReply } from '../forward/passage.ts'
import { faultOfReport } from '../forward/upstream-fault.ts'
import { limits } from '../limits.ts'
import { noteLostLogprobs } from '../request-trace.ts'
import { replyStoredUpstream, storeReply } from './store-reply.ts'
import { addTraceHeaders, limitHeadersOf } from './trace-headers.ts'
import { openWhole, type WholeText } from './whole-text.ts'

const encoder = new TextEncoder()
const notOfProtocol = 'it answered 200 with a body that is not valid in its protocol'

/** A whole reply: read, settled and only then sent, unchanged or translated. */
export async function passWhole(
  exchange: Exchange,
  attempt: Attempt,
  response: UpstreamResponse,
  deps: ForwardDeps,
): Promise<GatewayResponse> {
  const firstByteMs = deps.clock.monotonicMs() - attempt.startedMs
  const bytes = await response.body.readWhole(limits.replyBytesMax)
  attempt.watched.stop()
  if (!bytes) throw unreadable(attempt, `its answer is larger than ${limits.replyBytesMax} bytes`)
  const opened = openWhole(bytes, attempt.written().isTranslated, deps.mint)
  const text = opened instanceof Promise ? await opened : opened
  if ('problem' in text) throw unreadable(attempt, `its answer cannot be read: ${text.problem}`)
  if (text.long?.hasLostLogprobs) noteLostLogprobs(exchange.trace)
  const short = readReply(attempt, text)
  const reply = short && text.long ? await whole(short, text.long) : short
  if (!reply) throw unreadable(attempt, notOfProtocol)
  const { reading, kept } = reply
  const nowMs = deps.clock.monotonicMs()
  exchange.trace.firstTokenMs = nowMs - exchange.call.startedMs
  attempt.succeed(nowMs)
  exchange.conversation.keep(attempt.candidate, nowMs)
  noteAttempt(exchange, attempt, deps, { firstByteMs })
  const { candidate } = attempt
  if (attempt.hasLeft) {
    const { leftMs } = attempt
    const gone = { status: 499, reason: 'client_gone' as const, candidate, reading, leftMs }
    await settle(exchange, gone, deps)
    return clientGoneResponse
  }
  const ending = { status: 200, reason: undefined, candidate, reading }
  const { costNano } = await settle(exchange, ending, deps)
  await storeReply(exchange, attempt, kept ?? replyStoredUpstream(reading), deps)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    [deps.costHeader]: formatDollars(costNano),
  }
  addTraceHeaders(headers, exchange, attempt, deps)
  return { status: 200, headers, limitHeaders: limitHeadersOf(exchange), body: reply.body }
}

/** A reply with status 200 may still be an error of the upstream, or unreadable. */
function readReply(attempt: Attempt, text: WholeText) {
  try {
    return attempt.written().readReply(text)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.details.upstream) throw faultOfReport(attempt, error)
    throw unreadable(attempt, error.details.operatorMessage ?? notOfProtocol)
  }
}

/** Inserts the parts that were cut out of a long reply. */
async function whole(
  reply: WholeReply,
  { store, cutBytes, cutTokens }: NonNullable<WholeText['long']>,
): Promise<WholeReply> {
  const { reading, body, kept } = reply
  const counted = { ...reading, deliveredTokens: () => reading.deliveredTokens() + cutTokens }
  if (typeof body !== 'string' || cutBytes === 0) return { ...reply, reading: counted }
  const filled = await joinSlowly(store.fill(encoder.encode(body)))
  const isKept = kept?.responseText !== undefined && cutBytes <= limits.storedCharactersMax
  const stored = isKept
    ? { ...kept, responseText: store.fillText(kept.responseText ?? '') }
    : undefined
  return { reading: counted, body: filled, kept: stored }
}

function unreadable(attempt: Attempt, why: string): Fault {
  return new Fault(
    'upstream_error',
    'The upstream sent a response that cannot be read. Try again.',
    {
      operatorMessage: `upstream ${attempt.candidate.route.upstream.id}: ${why}`,
    },
  )
}
