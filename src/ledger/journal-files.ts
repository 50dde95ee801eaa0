import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The journals that are found at a start, and every now and then: read whole, and removed. */
export interface JournalFiles {
  /** The names of the files in a folder. */
  list(folder: string): string[]
  read(folder: string, name: string): string
  remove(folder: string, name: string): void
}

export const journalFiles: JournalFiles = {
  list: (folder) => readdirSync(folder),
  read: (folder, name) => readFileSync(join(folder, name), 'utf8'),
  remove: (folder, name) => rmSync(join(folder, name), { force: true }),
}
