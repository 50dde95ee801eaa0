import { MemoryDatabase } from '../support/ledger/memory-database.ts'
import { findViolations } from './find-violations.ts'
import { Simulation } from './simulation.ts'
import { VirtualTime } from './virtual-time.ts'

export interface SeedResult {
  readonly seed: number
  readonly violations: readonly string[]
  readonly requests: number
  readonly answered: number
  readonly lives: number
  readonly terms: Simulation['terms']
  /** The events of the run, with their counts. */
  readonly seen: Readonly<Record<string, number>>
}

let shared: MemoryDatabase | undefined

/** One simulated hour. */
export async function runSeed(seed: number): Promise<SeedResult> {
  shared ??= await MemoryDatabase.open()
  const time = new VirtualTime()
  const simulation = new Simulation(seed, shared, time)
  const giveBack = time.rule()
  let violations: readonly string[]
  try {
    await simulation.run()
    violations = await findViolations(simulation)
  } catch (error) {
    violations = [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  } finally {
    giveBack()
  }
  return {
    seed,
    violations,
    requests: simulation.requests.length,
    answered: simulation.requests.filter((each) => each.answeredAtMs !== undefined).length,
    lives: simulation.processes.length,
    terms: simulation.terms,
    seen: Object.fromEntries(simulation.seen),
  }
}
