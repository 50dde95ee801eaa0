import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { explainFolder } from '../database/explain-folder.ts'

export function journalPath({ data }: Pick<Config, 'data'>): string {
  return join(data, 'journal')
}

/** The journal folder, created on first use. Throws a DatabaseProblem if it cannot be used. */
export function makeJournalFolder(config: Pick<Config, 'data'>): string {
  const path = journalPath(config)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return path
  } catch (error) {
    throw explainFolder({ name: 'The data folder', path: config.data, flag: '--data' }, error)
  }
}
