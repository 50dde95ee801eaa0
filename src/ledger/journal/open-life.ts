import type { Engine } from '../../store/engine.ts'
import type { LeaseOwner } from '../leases/lease-units.ts'
import { takeEpoch } from '../replica.ts'
import { type JournalFiles, journalFiles } from './journal-files.ts'
import { epochsIn } from './journal-lines.ts'
import { type LifeLock, takeLifeLock } from './life-lock.ts'

export interface OpenedLife {
  readonly owner: LeaseOwner
  readonly lock: LifeLock
  /** Facts about earlier lives that an operator has to know; usually none. */
  readonly problems: readonly LifeProblem[]
}

export interface LifeProblem {
  readonly event: 'database_restored' | 'journal_missing'
  readonly why: string
}

/**
 * Takes the next epoch of a replica name, and its lock. A database restored from a backup may offer an epoch that
 * already has files in this folder. The new epoch is above all of them, so no journal is overwritten, and recovery
 * handles the old journals like those of any dead process.
 */
export async function openLife(
  engine: Engine,
  replica: string,
  folder: string,
  files: JournalFiles = journalFiles,
): Promise<OpenedLife> {
  const epochs = epochsIn(files.list(folder), replica)
  const epochMax = Math.max(0, ...epochs)
  const { epoch, epochBefore, unsettledEpoch } = await takeEpoch(engine, replica, epochMax)
  const owner = { replica, epoch }
  const lock = takeLifeLock(folder, owner, files)
  const problems: LifeProblem[] = []
  if (epochMax > epochBefore) {
    problems.push({
      event: 'database_restored',
      why: restored(replica, epochBefore, owner, epochMax),
    })
  }
  // Recovery reports a life that has left its lock.
  if (unsettledEpoch !== undefined && !epochs.has(unsettledEpoch)) {
    problems.push(missingJournal({ replica, epoch: unsettledEpoch }))
  }
  return { owner, lock, problems }
}

function restored(replica: string, known: number, { epoch }: LeaseOwner, last: number): string {
  return `the database knows replica "${replica}" up to epoch ${known}, but the journal folder has its epoch ${last}: the database was restored from an older state; this process continues with epoch ${epoch}; requests that are only in the journals are charged now, once; requests that had reached the database after the backup are in neither the journals nor the database`
}

export function missingJournal({ replica, epoch }: LeaseOwner): LifeProblem {
  const why = `the last process of replica "${replica}" (epoch ${epoch}) did not end cleanly, and the journal folder has no journal of it: requests that it had not yet brought to the database are not charged; put the journal back and restart, or check whether that process runs on another machine or was started before the database was restored`
  return { event: 'journal_missing', why }
}
