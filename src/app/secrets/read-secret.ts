import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { secretCharactersMin } from '../../config/setting-kinds.ts'
import { hasAtLeast } from '../../core/text/characters.ts'
import { codeOf, DatabaseProblem, messageOf } from '../database/database-problem.ts'
import { explainFolder } from '../database/explain-folder.ts'

export interface Secret {
  readonly text: string
  /** The file, if it was just created. */
  readonly madePath: string | undefined
}

const secretBytes = 32

export function secretPath(config: Pick<Config, 'data'>): string {
  return join(config.data, 'secret')
}

/** The configured secret, or the one in the data folder; undefined when there is none yet. */
function findSecret(config: Pick<Config, 'data' | 'secret'>): string | undefined {
  return config.secret ?? readSecretFile(secretPath(config))
}

/** The secret, and the former one while the secret is being rotated. */
export function findSecrets(
  config: Pick<Config, 'data' | 'secret' | 'formerSecret'>,
): readonly string[] {
  const former = config.formerSecret ?? readSecretFile(formerPath(config))
  return [findSecret(config), former].filter((each) => each !== undefined)
}

/** The file with the former secret while a generated secret is being rotated. */
export function formerPath(config: Pick<Config, 'data'>): string {
  return `${secretPath(config)}.former`
}

/**
 * Replaces a generated secret by a new one and keeps the former one, so that both are valid. After a kill at any step
 * the former secret is still there, and the next call continues.
 */
export function replaceSecretFile(config: Pick<Config, 'data'>): void {
  const path = secretPath(config)
  const former = formerPath(config)
  if (!existsSync(former)) linkSync(path, former)
  if (readSecretFile(path) !== readSecretFile(former)) return
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  writeNewSecret(draft, newSecret())
  renameSync(draft, path)
  syncPath(config.data)
}

function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** Without the sync, a power failure could leave an empty file beside a database that needs the secret. */
function writeNewSecret(path: string, text: string): void {
  writeFileSync(path, `${text}\n`, { flag: 'wx', mode: 0o600, flush: true })
}

function syncPath(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** The existing secret, or a new one generated in the data folder. */
export function readSecret(config: Pick<Config, 'data' | 'secret'>): Secret {
  const path = secretPath(config)
  const known = findSecret(config)
  if (known !== undefined) return { text: known, madePath: undefined }
  try {
    mkdirSync(config.data, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unusableFolder(config.data, error)
  }
  return makeSecretFile(path, newSecret())
}

function readSecretFile(path: string): string | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    if (codeOf(error) === 'ENOTDIR') throw unusableFolder(dirname(path), error)
    throw new DatabaseProblem(
      `The secret file ${path} cannot be read: ${messageOf(error)}; let this user read it, or set TOLLGATE_SECRET.`,
      { cause: error },
    )
  }
  if (hasAtLeast(text, secretCharactersMin)) return text
  throw new DatabaseProblem(
    `The secret file ${path} has fewer than ${secretCharactersMin} characters; restore it from a backup, or set TOLLGATE_SECRET.`,
  )
}

/** Creates the file atomically, so that processes that start together agree on one secret. */
function makeSecretFile(path: string, text: string): Secret {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeNewSecret(draft, text)
    linkSync(draft, path)
    syncPath(dirname(path))
    return { text, madePath: path }
  } catch (error) {
    const other = codeOf(error) === 'EEXIST' ? readSecretFile(path) : undefined
    if (other === undefined) throw unusableFolder(dirname(path), error)
    return { text: other, madePath: undefined }
  } finally {
    rmSync(draft, { force: true })
  }
}

function unusableFolder(path: string, error: unknown): DatabaseProblem {
  return explainFolder({ name: 'The data folder', path, flag: '--data' }, error)
}
