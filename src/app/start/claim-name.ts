import { join } from 'node:path'
import { type FileLock, lockFile } from '../../store/engine/file-lock.ts'
import { CommandProblem } from '../command-problem.ts'

/**
 * Fails if another running process on this data folder has this name: two processes of one name would take each other's
 * leases. Processes with different names may share a folder.
 */
export function claimName(folder: string, replica: string): FileLock {
  const lock = lockFile(join(folder, `replica-${encodeURIComponent(replica)}.lock`), true)
  if (lock) return lock
  throw new CommandProblem(
    `Another gateway named ${replica} is running on the data folder ${folder}. Stop that one, or give this one another name with --replica.`,
  )
}
