import { maskUrl } from '../../config/mask.ts'
import { sqlitePathOf } from '../../core/network/sqlite-url.ts'
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
  const sentence =
    path === undefined
      ? explainPostgres(maskUrl(databaseUrl), messageOf(error), codeOf(error))
      : explainSqlite(path, messageOf(error))
  return new DatabaseProblem(sentence, { cause: error })
}

function explainSqlite(path: string, message: string): string {
  if (/not a database|malformed|corrupt/i.test(message)) {
    return `The database file ${path} is damaged or is not a SQLite database; restore it from a backup, or name another with --database.`
  }
  if (/locked|busy/i.test(message)) {
    return `The database file ${path} is locked by another program; stop that program and try again.`
  }
  if (/readonly|read-only|read only/i.test(message)) {
    return `The database file ${path} is not writable by this user; change its permissions, or name another with --database.`
  }
  if (/unable to open/i.test(message)) {
    return `The database file ${path} cannot be opened; check that it is a file and that this user may read and write it and its folder.`
  }
  if (/full/i.test(message))
    return `The disk of the database file ${path} is full; free some space.`
  return `The database file ${path} cannot be used: ${asClause(message)}.`
}

function explainPostgres(url: string, message: string, code: string): string {
  if (/authentication failed|no pg_hba|28P01|28000/i.test(message)) {
    return `The Postgres server at ${url} rejects the user or the password; correct them in the database setting.`
  }
  if (/database .* does not exist|3D000/i.test(message)) {
    return `The Postgres server at ${url} has no such database; create it first.`
  }
  const isUnreachable =
    /ECONNREFUSED|ENOTFOUND|ETIMEDOUT|CONNECTION|getaddrinfo/i.test(`${code} ${message}`) ||
    /connect|timed? ?out|closed/i.test(message)
  if (isUnreachable) {
    return `The Postgres server at ${url} cannot be reached; check that it runs and that the host and port are correct (${asClause(message)}).`
  }
  return `The database at ${url} cannot be used: ${asClause(message)}.`
}

function asClause(message: string): string {
  return message.replace(/\s+/g, ' ').replace(/\.$/, '')
}
