import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { explainFolder } from './explain-folder.ts'

/** The folder of the journal, made on first use. Without it nothing may be served: throws a DatabaseProblem. */
export function makeJournalFolder({ data }: Pick<Config, 'data'>): string {
  const path = join(data, 'journal')
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return path
  } catch (error) {
    throw explainFolder({ name: 'The data folder', path: data, flag: '--data' }, error)
  }
}
