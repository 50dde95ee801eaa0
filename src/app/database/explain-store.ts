import { maskUrl } from '../../config/mask.ts'
import { sqlitePathOf } from '../../core/network/sqlite-url.ts'
import { errorCodes } from '../../store/engine/error-codes.ts'
import { DatabaseTimeout } from '../../store/engine.ts'
import { codeOf, DatabaseProblem, messageOf } from './database-problem.ts'
import { explainFolder } from './explain-folder.ts'

const folderCodes = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC'])

/** Why a database cannot be opened, in one sentence, without the password that its URL may contain. */
export function explainStore(databaseUrl: string, error: unknown): DatabaseProblem {
  if (error instanceof DatabaseProblem) return error
  const path = sqlitePathOf(databaseUrl)
  if (path !== undefined && folderCodes.has(codeOf(error))) {
    return explainFolder({ name: 'The database file', path, flag: '--database' }, error)
  }
  const known =
    path === undefined ? postgresReasons(maskUrl(databaseUrl), error) : sqliteReasons(path, error)
  // Messages of a server are in its own language; codes are the same everywhere.
  const codes = [...(error instanceof DatabaseTimeout ? ['ETIMEDOUT'] : []), ...errorCodes(error)]
  const sentence = known.find(([pattern]) => codes.some((code) => pattern.test(code)))?.[1]
  const named = path === undefined ? `at ${maskUrl(databaseUrl)}` : `file ${path}`
  return new DatabaseProblem(
    sentence ?? `The database ${named} cannot be used (${onOneLine(error)}).`,
    { cause: error },
  )
}

/** The disk of a database is full, or a database is read-only; in SQLite's words and as an SQLSTATE. */
const unwritable = /^(?:SQLITE_(?:FULL|READONLY)\w*|53100|25006)$/

/** Why a database that could be opened cannot be written; undefined for any other error. */
export function explainUnwritable(
  databaseUrl: () => string,
  error: unknown,
): DatabaseProblem | undefined {
  const isKnown = errorCodes(error).some((code) => unwritable.test(code))
  return isKnown ? explainStore(databaseUrl(), error) : undefined
}

type Reasons = readonly (readonly [code: RegExp, sentence: string])[]

function sqliteReasons(path: string, error: unknown): Reasons {
  return [
    [
      /^SQLITE_(?:NOTADB|CORRUPT)/,
      `The database file ${path} is damaged or is not a SQLite database; restore it from a backup, or name another with --database.`,
    ],
    [
      /^SQLITE_(?:BUSY|LOCKED)/,
      `The database file ${path} is locked by another program; stop that program and try again.`,
    ],
    [
      /^SQLITE_READONLY/,
      `The database file ${path} is not writable by this user; change its permissions, or name another with --database.`,
    ],
    [
      /^SQLITE_CANTOPEN/,
      `The database file ${path} cannot be opened; check that it is a file and that this user may read and write it and its folder.`,
    ],
    [/^SQLITE_FULL/, `The disk of the database file ${path} is full; free some space.`],
    // What SQLite reports if there is no room for the files beside the database, such as -shm.
    [
      /^SQLITE_IOERR/,
      `The disk of the database file ${path} is full or faulty; check its free space, then its health (${onOneLine(error)}).`,
    ],
  ]
}

function postgresReasons(url: string, error: unknown): Reasons {
  return [
    [
      /^28\w{3}$/,
      `The Postgres server at ${url} rejects the user or the password; correct them in the database setting.`,
    ],
    [/^53100$/, `The disk of the Postgres server at ${url} is full; free some space.`],
    [
      /^25006$/,
      `The Postgres database at ${url} is read-only: name the primary server in the database setting, or allow writes to the database.`,
    ],
    [/^3D000$/, `The Postgres server at ${url} has no such database; create it first.`],
    [
      /^(?:ECONN|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|ERR_POSTGRES_CONNECTION|08\w{3}$|57P0\d$)/,
      `The Postgres server at ${url} cannot be reached; check that it runs and that the host and port are correct (${onOneLine(error)}).`,
    ],
  ]
}

function onOneLine(error: unknown): string {
  return messageOf(error).replace(/\s+/g, ' ')
}
