import type { LeaseOwner } from '../leases/lease-units.ts'
import { type JournalFiles, journalFiles } from './journal-files.ts'
import { lockFileName } from './journal-lines.ts'

/** One life of a process, and the proof that the process is alive. */
export interface LifeLock {
  /** Ends the life. If it has left something behind, another process recovers it. */
  end(hasLeftNothing: boolean): void
}

/**
 * Shows every user of this folder that a process is alive, for exactly as long as it is. Take the lock before the first
 * lease and the first journal line. A process that finds the lock free may recover what its owner left behind;
 * otherwise it must not, however long the owner has been silent.
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
