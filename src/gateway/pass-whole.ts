import { Fault } from '../core/fault.ts'
import { formatDollars } from '../core/money.ts'
import { usageRecords } from '../usage/usage-records.ts'
import { isObject, parseJson } from '../wire/json.ts'
import type { Attempt } from './attempt.ts'
import type { Answer } from './call.ts'
import { type Charge, chargeOf, type Exchange } from './exchange.ts'
import { limits } from './limits.ts'
import { readBounded } from './read-bounded.ts'
import { type ForwardParts, noteAttempt, unsettled } from './settling.ts'

const decoder = new TextDecoder()

/** A whole answer: read, settled, and only then sent, byte for byte as the upstream wrote it. */
export async function passWhole(
  exchange: Exchange,
  attempt: Attempt,
  response: Response,
  parts: ForwardParts,
): Promise<Answer> {
  const firstByteMs = parts.clock.monotonicMs() - attempt.startedMs
  const bytes = await readBounded(response, limits.replyBytesMax)
  attempt.watched.stop()
  if (!bytes) throw unreadable(attempt, `its answer is larger than ${limits.replyBytesMax} bytes`)
  const value = parseJson(decoder.decode(bytes))
  if (!isObject(value)) throw unreadable(attempt, 'its answer is not a JSON object')
  const reading = exchange.passThrough.readReply(value)
  exchange.story.firstTokenMs = parts.clock.monotonicMs() - exchange.call.startedMs
  noteAttempt(exchange, attempt, parts, { firstByteMs })
  const ending = { status: 200, reason: undefined, candidate: attempt.candidate, reading }
  let charge: Charge
  try {
    charge = chargeOf(exchange, ending, parts.clock)
    await exchange.hold.settleSoon(charge.settlement, usageRecords(charge.record))
  } catch (error) {
    throw unsettled(exchange, error, parts)
  }
  parts.onSettled(charge.record)
  const { costNano } = charge.settlement
  return {
    status: 200,
    headers: { 'content-type': 'application/json', [parts.costHeader]: formatDollars(costNano) },
    body: bytes,
  }
}

function unreadable(attempt: Attempt, why: string): Fault {
  return new Fault('upstream_error', 'The upstream sent an answer that cannot be read.', {
    operatorMessage: `upstream ${attempt.candidate.route.upstream.id}: ${why}`,
  })
}
