import { HealthRegistry } from './health-registry.ts'
import { RetryBudget } from './retry-budget.ts'
import { type QueueRules, SlotQueue } from './slot-queue.ts'
import { StickyMemory } from './sticky-memory.ts'
import type { HealthEvents } from './target-state.ts'

/** The state of one process for choosing upstreams. */
export class Routing {
  readonly health: HealthRegistry
  readonly random: () => number
  /** Undefined when requests do not wait for upstreams. */
  readonly queue: SlotQueue | undefined
  budget = new RetryBudget()
  sticky = new StickyMemory()

  constructor(events: HealthEvents, random: () => number, queue?: QueueRules) {
    this.health = new HealthRegistry(events, random)
    this.random = random
    this.queue = queue && queue.waitMs > 0 ? new SlotQueue(queue) : undefined
  }

  /** Resets everything to the state after a start. */
  forget(): void {
    this.health.forget()
    this.budget = new RetryBudget()
    this.sticky = new StickyMemory()
  }
}
