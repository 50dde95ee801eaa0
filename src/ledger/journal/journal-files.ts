import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type FileLock, lockFile } from '../../store/engine/file-lock.ts'
import { keepLines } from './kept-lines.ts'

/** Access to journal files found at start and at intervals. Each file is read as a whole and then removed. */
export interface JournalFiles {
  list(folder: string): string[]
  read(folder: string, name: string): string
  remove(folder: string, name: string): void
  /** Renames a file to an unused name. */
  rename(folder: string, name: string, newName: string): void
  /** Appends whole lines to a file; resolves when they are on the disk. */
  keep(folder: string, name: string, lines: string): Promise<void>
  /** Creates a file that is locked from the first moment at which others can see it. */
  claim(folder: string, name: string): FileLock
  /** Undefined while a live process has the lock, or when the file does not exist and `isMade` is false. */
  lock(folder: string, name: string, isMade: boolean): FileLock | undefined
}

export const journalFiles: JournalFiles = {
  list: (folder) => readdirSync(folder),
  read: (folder, name) => readFileSync(join(folder, name), 'utf8'),
  remove: (folder, name) => rmSync(join(folder, name), { force: true }),
  rename: (folder, name, newName) => renameSync(join(folder, name), join(folder, newName)),
  keep: keepLines,
  claim: (folder, name) => {
    const path = join(folder, name)
    mkdirSync(folder, { recursive: true })
    const lock = lockFile(`${path}.new`, true)
    if (!lock) throw new Error(`another process is about to lock ${path}`)
    renameSync(`${path}.new`, path)
    return lock
  },
  lock: (folder, name, isMade) => lockFile(join(folder, name), isMade),
}
