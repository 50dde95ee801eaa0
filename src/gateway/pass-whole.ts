import { Fault } from '../core/fault.ts'
import { formatDollars } from '../core/money.ts'
import type { Attempt } from './attempt.ts'
import type { Answer } from './call.ts'
import type { Exchange } from './exchange.ts'
import { keepReply, keptUpstream } from './keep-reply.ts'
import { limits } from './limits.ts'
import type { Passage } from './passage.ts'
import { readBounded } from './read-bounded.ts'
import { type ForwardParts, noteAttempt, settle } from './settling.ts'
import { faultOfWords } from './upstream-fault.ts'

/** A whole answer: read, settled, and only then sent, as the upstream wrote it or in the caller's own protocol. */
export async function passWhole(
  exchange: Exchange,
  attempt: Attempt,
  passage: Passage,
  response: Response,
  parts: ForwardParts,
): Promise<Answer> {
  const firstByteMs = parts.clock.monotonicMs() - attempt.startedMs
  const bytes = await readBounded(response, limits.replyBytesMax)
  attempt.watched.stop()
  if (!bytes) throw unreadable(attempt, `its answer is larger than ${limits.replyBytesMax} bytes`)
  const reply = readReply(attempt, passage, bytes)
  if (!reply) throw unreadable(attempt, 'its answer is not of its protocol')
  const { reading, kept } = reply
  exchange.story.firstTokenMs = parts.clock.monotonicMs() - exchange.call.startedMs
  noteAttempt(exchange, attempt, parts, { firstByteMs })
  const ending = { status: 200, reason: undefined, candidate: attempt.candidate, reading }
  const { costNano } = await settle(exchange, ending, parts)
  keepReply(exchange, attempt, kept ?? keptUpstream(reading), parts)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    [parts.costHeader]: formatDollars(costNano),
  }
  if (passage.warnings.length > 0) headers[parts.warningsHeader] = passage.warnings.join(', ')
  return { status: 200, headers, body: reply.body }
}

/** An answer may be an error all the same, in the upstream's own words. */
function readReply(attempt: Attempt, passage: Passage, bytes: Uint8Array<ArrayBuffer>) {
  try {
    return passage.readReply(bytes)
  } catch (error) {
    throw error instanceof Fault ? faultOfWords(attempt, error) : error
  }
}

function unreadable(attempt: Attempt, why: string): Fault {
  return new Fault('upstream_error', 'The upstream sent an answer that cannot be read.', {
    operatorMessage: `upstream ${attempt.candidate.route.upstream.id}: ${why}`,
  })
}
