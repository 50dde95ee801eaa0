import { Database } from 'bun:sqlite'

export interface FileLock {
  release(): void
}

/**
 * Locks a file for this process, or says that another has it. The kernel lets go of it when the process ends, however
 * it ends, and not before: one that only sleeps keeps it. SQLite's lock serves, because Node offers none of its own;
 * the file stays empty, and may be renamed while it is locked. To open and close it here by any other means would let
 * go of the lock.
 */
export function lockFile(path: string, isMade: boolean): FileLock | undefined {
  let file: Database | undefined
  try {
    file = new Database(path, { readwrite: true, create: isMade })
    file.run('PRAGMA journal_mode = MEMORY')
    file.run('BEGIN EXCLUSIVE')
  } catch (error) {
    file?.close()
    if (isTaken(error) || (!isMade && isMissing(error))) return undefined
    throw error
  }
  const locked = file
  return { release: () => locked.close() }
}

function isTaken(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

function isMissing(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_CANTOPEN')
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
