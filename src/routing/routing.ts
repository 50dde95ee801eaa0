import { HealthRegistry } from './health-registry.ts'
import { RetryBudget } from './retry-budget.ts'
import { StickyMemory } from './sticky-memory.ts'
import type { HealthEvents } from './target-state.ts'

/** The state of one process for choosing upstreams. */
export class Routing {
  readonly health: HealthRegistry
  readonly random: () => number
  budget = new RetryBudget()
  sticky = new StickyMemory()

  constructor(events: HealthEvents, random: () => number) {
    this.health = new HealthRegistry(events, random)
    this.random = random
  }

  /** Resets everything to the state after a start. */
  forget(): void {
    this.health.forget()
    this.budget = new RetryBudget()
    this.sticky = new StickyMemory()
  }
}
