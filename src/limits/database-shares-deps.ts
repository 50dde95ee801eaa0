import type { Engine } from '../store/engine.ts'
import type { UsedLimit } from './allotment.ts'
import type { DatabaseCounts } from './database-counts.ts'

export interface DatabaseSharesDeps {
  readonly engine: Engine
  readonly replica: string
  readonly monotonicMs: () => number
  /** The time that has really passed: the others continue even if a clock of this process stands still. */
  readonly elapsedMs: () => number
  /** False while a server counts for all replicas. */
  readonly isNeeded: () => boolean
  /** The running requests of an owner of limits in this process. */
  readonly runningOf: (name: string) => number
  /** What this process has used of its limits. */
  readonly used: () => Iterable<UsedLimit>
  /** Counts small limits in the database, when all processes do so. Undefined: they are divided like all others. */
  readonly counts?: Pick<DatabaseCounts, 'carry' | 'finish' | 'begin' | 'renew'>
  onError(error: unknown): void
}
