import { setTimeout as sleep } from 'node:timers/promises'
import type { Listener } from '../../http-in/listen.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Node } from '../node/open-node.ts'

const checkEveryMs = 20
/** Time to end and settle the streams that are left after the drain deadline. */
const abortGraceMs = 3_000
/** Longest wait for an unresponsive database. The journal keeps the missing records for the next start. */
const closeMs = 15_000
/** The database gets the rest of the drain time, minus a margin for the steps after it, and at least this. */
const shipMsMin = 3_000
const afterwardsMs = 1_000

/** The longest time from the drain deadline to the end of the process. */
export const afterDrainMs = abortGraceMs + closeMs

/** Waits for running requests, ends those that exceed the deadline, then closes everything in order. */
export async function drain(
  parts: { listener: Listener; node: Node; log: Log; drainMs: number; monotonicMs: () => number },
  isInterruptedTwice: () => boolean,
): Promise<void> {
  const { listener, node, log } = parts
  const drainedByMs = parts.monotonicMs() + parts.drainMs
  const isIdle = () => listener.pending() === 0 && node.ledger.openHolds === 0
  const wait = async (ms: number, isCutShort: () => boolean) => {
    const endMs = parts.monotonicMs() + ms
    while (!isIdle() && !isCutShort() && parts.monotonicMs() < endMs) {
      await sleep(checkEveryMs)
    }
  }
  // Refuses the queued requests, because their upstreams may be busy for longer than the drain.
  node.routing.queue?.close()
  await wait(parts.drainMs, isInterruptedTwice)
  if (!isIdle()) {
    log.warn('drain_deadline', { pending: listener.pending() })
    node.abortAll()
    await wait(abortGraceMs, () => false)
  }
  await listener.stop()
  const leftMs = drainedByMs - afterwardsMs - parts.monotonicMs()
  const closing = node.close(Math.max(leftMs, shipMsMin))
  const isClosed = await Promise.race([closing.then(() => true), sleep(closeMs, false)])
  if (!isClosed) log.warn('closed_without_database', { unshipped: node.ledger.unshipped })
}
