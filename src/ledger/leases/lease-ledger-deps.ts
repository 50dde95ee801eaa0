import type { RandomBytes } from '../../core/id.ts'
import type { LogEvent } from '../../core/telemetry/log-event.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Engine } from '../../store/engine.ts'
import type { GroupCommit } from '../../store/units/group-commit.ts'
import type { Journal } from '../journal/journal.ts'
import type { LeaseOwner } from './lease-units.ts'

export interface LeaseLedgerDeps {
  readonly engine: Engine
  readonly commits: GroupCommit
  readonly owner: LeaseOwner
  readonly clock: Clock
  readonly journal: Journal
  /** Source of lease ids. Default: the randomness of the system. */
  readonly random?: RandomBytes
  /** Asks every other process to return the money of this account that it does not need. */
  recall(accountId: string): Promise<void>
  onError(event: LogEvent, error: unknown): void
  onClose?(): void
  /** Called last. Tells whether the database has all leases back. */
  onClosed?(hasLeftNothing: boolean): void
}
