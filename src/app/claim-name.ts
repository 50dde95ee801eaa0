import { join } from 'node:path'
import { type FileLock, lockFile } from '../store/file-lock.ts'
import { CommandProblem } from './command-problem.ts'

/**
 * Makes sure that no other living process on this data folder has this name: two of one name would take each other's
 * leases away. Processes with names of their own may share a folder.
 */
export function claimName(folder: string, replica: string): FileLock {
  const lock = lockFile(join(folder, `replica-${encodeURIComponent(replica)}.lock`), true)
  if (lock) return lock
  throw new CommandProblem(
    `Another gateway named ${replica} is running on the data folder ${folder}. Stop that one, or give this one another name with --replica.`,
  )
}
