import { setTimeout as sleep } from 'node:timers/promises'
import type { Listener } from '../server/listen.ts'
import type { Log } from '../telemetry/log.ts'
import type { Node } from './open-node.ts'

const lookEveryMs = 20
/** After the deadline streams are told why they end and are settled; that takes a moment, not long. */
const lastWordsMs = 3_000
/** A database that does not answer gets no longer than this: the journal keeps what it lacks for the next start. */
const closeMs = 15_000

/** Waits for requests under way, ends those that outlast the deadline, then closes everything in order. */
export async function drain(
  parts: { listener: Listener; node: Node; log: Log; drainMs: number; monotonicMs: () => number },
  isHurried: () => boolean,
): Promise<void> {
  const { listener, node, log } = parts
  const isIdle = () => listener.pending() === 0 && node.ledger.openHolds === 0
  const wait = async (ms: number, isCutShort: () => boolean) => {
    const endMs = parts.monotonicMs() + ms
    while (!isIdle() && !isCutShort() && parts.monotonicMs() < endMs) {
      await sleep(lookEveryMs)
    }
  }
  await wait(parts.drainMs, isHurried)
  if (!isIdle()) {
    log.warn('drain_deadline', { pending: listener.pending() })
    node.abortAll()
    await wait(lastWordsMs, () => false)
  }
  await listener.stop()
  const isClosed = await Promise.race([node.close().then(() => true), sleep(closeMs, false)])
  if (!isClosed) log.warn('closed_without_database', { unshipped: node.ledger.unshipped })
}
