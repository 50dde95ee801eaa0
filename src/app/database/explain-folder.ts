import { codeOf, DatabaseProblem, messageOf } from './database-problem.ts'

/** Why a folder or a file in it cannot be created or written. */
export function explainFolder(
  what: { readonly name: string; readonly path: string; readonly flag: string },
  error: unknown,
): DatabaseProblem {
  const sentence = `${what.name} ${what.path} ${reason(error, `name another with ${what.flag}`)}`
  return new DatabaseProblem(sentence, { cause: error })
}

function reason(error: unknown, remedy: string): string {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `is not writable by this user; change its permissions, or ${remedy}.`
    case 'EROFS':
      return `is on a read-only file system; ${remedy}.`
    case 'ENOSPC':
      return 'is on a full disk; free some space.'
    case 'ENOTDIR':
    case 'EEXIST':
      return `cannot be created, because a part of its path is a file; ${remedy}.`
    default:
      return `cannot be used: ${messageOf(error)}; ${remedy}.`
  }
}
