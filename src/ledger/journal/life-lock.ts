import type { LeaseOwner } from '../leases/lease-units.ts'
import { type JournalFiles, journalFiles } from './journal-files.ts'
import { lockFileName } from './journal-lines.ts'

/** One process in one of its lives, and the proof that it lives. */
export interface LifeLock {
  /** The life is over. What it has left behind, if anything, is for others to bring to an end. */
  end(hasLeftNothing: boolean): void
}

/**
 * Shows to all who use this folder that a process lives, for exactly as long as it does. It is to be taken before the
 * first lease and the first line of the journal: whoever finds it free may end what its owner has left behind, and
 * whoever does not must leave it alone, however long its owner has been silent.
 */
export function takeLifeLock(
  folder: string,
  owner: LeaseOwner,
  files: JournalFiles = journalFiles,
): LifeLock {
  const name = lockFileName(owner)
  const lock = files.claim(folder, name)
  return {
    end: (hasLeftNothing) => {
      if (hasLeftNothing) files.remove(folder, name)
      lock.release()
    },
  }
}
