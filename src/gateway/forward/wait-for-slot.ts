import type { Priority } from '../../core/upstreams/priority.ts'
import type { QueueOutcome } from '../../core/upstreams/queue-outcome.ts'
import type { RequestFacts } from '../../protocols/request-facts.ts'
import { type FailedCandidate, findUnspent } from '../../routing/find-next.ts'
import type { Candidate } from '../../routing/route-set.ts'
import {
  priorityOf,
  type SlotQueue,
  type SlotWaiter,
  type UpstreamSlot,
} from '../../routing/slot-queue.ts'
import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import type { BoundedWait, ExpiryReason, WatchedWait } from '../reply/watchdog.ts'

/** The part of the time limit of a request that it may spend waiting. */
const waitShareMax = 0.5

/** One wait in the queue. The hold and the permits of the request are kept meanwhile. */
class QueuedRequest implements SlotWaiter, BoundedWait {
  readonly accountId: string
  readonly priority: Priority
  readonly candidates: readonly Candidate[]
  readonly outcome: Promise<QueueOutcome>
  readonly isHeldUp = false
  hasLeft = false
  denseIndex: number | undefined
  slot: UpstreamSlot | undefined
  watched: WatchedWait | undefined
  readonly #exchange: Exchange
  readonly #queue: SlotQueue
  readonly #end: (outcome: QueueOutcome) => void

  constructor(exchange: Exchange, candidates: readonly Candidate[], queue: SlotQueue) {
    const { caller } = exchange
    this.accountId = caller.account.id
    this.priority = priorityOf(caller.key, candidates)
    this.candidates = candidates
    this.#exchange = exchange
    this.#queue = queue
    const { promise, resolve } = Promise.withResolvers<QueueOutcome>()
    this.outcome = promise
    this.#end = resolve
  }

  isClientGone(): boolean {
    return this.#exchange.call.isClientGone()
  }

  clientLeft(): void {
    this.hasLeft = true
    this.#finish('client_gone')
  }

  expire(reason: ExpiryReason): void {
    this.#finish(reason === 'draining' ? 'draining' : 'timeout')
  }

  served(slot: UpstreamSlot): void {
    this.slot = slot
    this.#finish('served')
  }

  dismissed(): void {
    this.#finish('draining')
  }

  leave(): void {
    this.#queue.leave(this)
  }

  #finish(outcome: QueueOutcome): void {
    this.watched?.stop()
    this.#end(outcome)
  }
}

/**
 * Waits until an upstream that could serve the request has a free slot, and gives the slot to the exchange. False
 * when the wait ended without one, or when there is nothing to wait for.
 */
export async function waitForSlot(
  exchange: Exchange,
  spent: readonly FailedCandidate[],
  deps: ForwardDeps,
  onTick?: (nowMs: number) => void,
): Promise<boolean> {
  const { queue } = deps.routing
  const candidates = queue ? findUnspent(exchange.plan.candidates, spent) : []
  const earlierMs = exchange.trace.queuedMs ?? 0
  const leftMs = queue ? longestWaitMs(exchange.facts, candidates, queue) - earlierMs : 0
  if (!queue || candidates.length === 0 || leftMs <= 0) return false
  const waiter = new QueuedRequest(exchange, candidates, queue)
  const startedMs = deps.clock.monotonicMs()
  waiter.watched = deps.watchdog.watch(startedMs, leftMs, leftMs, waiter)
  waiter.watched.onTick = onTick
  if (!queue.join(waiter)) {
    waiter.watched.stop()
    deps.onQueued(waiter.priority, 'full', 0)
    return false
  }
  const outcome = await waiter.outcome
  const waitedMs = deps.clock.monotonicMs() - startedMs
  exchange.trace.queuedMs = earlierMs + waitedMs
  exchange.hasLeftQueue = outcome === 'client_gone'
  exchange.slot = waiter.slot
  deps.onQueued(waiter.priority, outcome, waitedMs)
  return outcome === 'served'
}

/** The wait counts towards the time limits of the request. The rest must be enough for an answer. */
export function longestWaitMs(
  { isStream }: Pick<RequestFacts, 'isStream'>,
  candidates: readonly Candidate[],
  { rules }: SlotQueue,
): number {
  const limits = candidates.map(({ route }) => {
    const { wholeMs, totalMs } = route.upstream.timeouts
    return isStream ? totalMs : Math.min(wholeMs, totalMs)
  })
  return Math.min(rules.waitMs, ...limits.map((ms) => ms * waitShareMax))
}
