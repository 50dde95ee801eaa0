import { AccountSlots } from '../core/runtime/account-slots.ts'
import { DenseSet, type DenseSetMember } from '../core/runtime/dense-set.ts'
import { type Priority, priorities } from '../core/upstreams/priority.ts'
import { FairQueue, type QueueMember } from './fair-queue.ts'
import { isFull } from './find-next.ts'
import type { Candidate } from './route-set.ts'
import type { UpstreamLoad } from './target-state.ts'

/** One account gets at most this part of the queue. */
const accountShare = 4

export interface QueueRules {
  /** How long a request may wait, all its waits together. */
  readonly waitMs: number
  /** Requests that may wait at the same time. */
  readonly lengthMax: number
}

/** A request that waits until one of its candidates is not full. */
export interface SlotWaiter extends QueueMember, DenseSetMember {
  readonly candidates: readonly Candidate[]
  /** Whether the client has closed its connection. */
  isClientGone(): boolean
  /** Has left the queue without a slot, because nobody waits for the answer. */
  clientLeft(): void
  /** Has left the queue with a slot, which the request must end. */
  served(slot: UpstreamSlot): void
  /** Has left the queue without one: the process is stopping. */
  dismissed(): void
}

/** A slot at an upstream, kept for a request whose attempt has not begun. */
export class UpstreamSlot {
  readonly load: UpstreamLoad
  #isOver = false

  constructor(load: UpstreamLoad) {
    this.load = load
    load.inFlight += 1
  }

  /** Called when the attempt has begun and counts by itself, or when there is no attempt. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.load.inFlight -= 1
    this.load.queue?.offer()
  }
}

/** The requests that wait for one upstream. */
class UpstreamQueue {
  readonly fair = new FairQueue<SlotWaiter>()
  readonly #load: UpstreamLoad
  readonly #leave: SlotQueue['leave']

  constructor(load: UpstreamLoad, leave: SlotQueue['leave']) {
    this.#load = load
    this.#leave = leave
  }

  /**
   * Gives free slots to those whose turn it is. A slot is taken before anybody else can see it free. Disconnects are
   * noticed by polling, so a client may be gone although its request still waits.
   */
  offer(): void {
    for (;;) {
      const waiter = this.fair.peek()
      const candidate = waiter?.candidates.find(({ state }) => state.load === this.#load)
      if (!waiter || !candidate || isFull(candidate)) return
      if (waiter.isClientGone()) {
        this.#leave(waiter)
        waiter.clientLeft()
        continue
      }
      this.fair.take()
      this.#leave(waiter, this.#load)
      waiter.served(new UpstreamSlot(this.#load))
    }
  }
}

/**
 * The requests of one process that wait for upstreams. A request waits in the queue of each upstream that could serve
 * it, and leaves all of them with the first slot it gets.
 */
export class SlotQueue {
  readonly rules: QueueRules
  readonly #queues = new WeakMap<UpstreamLoad, UpstreamQueue>()
  readonly #waiting = new DenseSet<SlotWaiter>()
  readonly #places: AccountSlots
  #isClosed = false

  constructor(rules: QueueRules) {
    this.rules = rules
    const { lengthMax } = rules
    this.#places = new AccountSlots(lengthMax, Math.max(1, Math.floor(lengthMax / accountShare)))
  }

  /** False when the queue is full, when the account has its part of the queue, or when the process is stopping. */
  hasRoomFor(accountId: string): boolean {
    return !this.#isClosed && this.#places.hasRoomFor(accountId)
  }

  /** False when there is no room. */
  join(waiter: SlotWaiter): boolean {
    if (this.#isClosed || !this.#places.begin(waiter.accountId)) return false
    this.#waiting.add(waiter)
    const queues = [...loadsOf(waiter)].map((load) => this.#queueOf(load))
    for (const queue of queues) queue.fair.add(waiter)
    // A slot may have become free since the request found none.
    for (const queue of queues) queue.offer()
    return true
  }

  /** The request no longer waits. Has no effect on one that does not wait. The queue of `left` no longer has it. */
  leave(waiter: SlotWaiter, left?: UpstreamLoad): void {
    if (!this.#waiting.remove(waiter)) return
    this.#places.end(waiter.accountId)
    for (const load of loadsOf(waiter))
      if (load !== left) this.#queues.get(load)?.fair.remove(waiter)
  }

  /** Of all classes. */
  get length(): number {
    return this.#waiting.size
  }

  lengthOf(priority: Priority): number {
    return this.#waiting.list().filter((each) => each.priority === priority).length
  }

  /** Ends all waits: the process is stopping. */
  close(): void {
    this.#isClosed = true
    for (const waiter of this.#waiting.list()) {
      this.leave(waiter)
      waiter.dismissed()
    }
  }

  #queueOf(load: UpstreamLoad): UpstreamQueue {
    const known = this.#queues.get(load)
    if (known) return known
    const queue = new UpstreamQueue(load, (waiter, left) => this.leave(waiter, left))
    this.#queues.set(load, queue)
    load.queue = queue
    return queue
  }
}

function loadsOf({ candidates }: SlotWaiter): Set<UpstreamLoad> {
  return new Set(candidates.map(({ state }) => state.load))
}

/** A key's own priority counts before that of the group that would serve the request. */
export function priorityOf(
  key: { readonly priority: Priority | undefined },
  candidates: readonly Candidate[],
): Priority {
  return key.priority ?? candidates[0]?.group.priority ?? 'normal'
}

/** How many requests wait in each class, for the metrics. */
export function lengthsOf(queue: SlotQueue | undefined): ReadonlyMap<Priority, number> {
  return new Map(priorities.map((priority) => [priority, queue?.lengthOf(priority) ?? 0]))
}
