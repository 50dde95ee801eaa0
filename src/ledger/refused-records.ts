import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLines } from './journal-lines.ts'

/** What the database would not take; empty on a healthy gateway. */
export const refusedFileName = 'refused.log'

/** How many records wait in a journal folder for a person to look at. */
export function refusedRecords(folder: string): number {
  const path = join(folder, refusedFileName)
  return existsSync(path) ? openLines(readFileSync(path, 'utf8')).length : 0
}
