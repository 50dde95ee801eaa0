import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { CommandProblem } from '../app/command-problem.ts'
import { codeOf, messageOf } from '../app/database/database-problem.ts'

/**
 * Writes a file that only this user can read, and never over an existing one. The file gets its name when it is
 * complete and on the disk, so a partial file is never mistaken for a complete one.
 */
export async function writeFileOnce(
  path: string,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  if (existsSync(path)) throw taken(path)
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await write(file)
      await file.sync()
    } finally {
      await file.close()
    }
    linkSync(draft, path)
  } catch (error) {
    throw explain(path, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

function taken(path: string): CommandProblem {
  return new CommandProblem(`${path} already exists; choose another name. Nothing was written.`)
}

const fileCodes = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'])

function explain(path: string, error: unknown): unknown {
  if (codeOf(error) === 'EEXIST') return taken(path)
  if (!fileCodes.has(codeOf(error))) return error
  return new CommandProblem(`${path} cannot be written: ${messageOf(error)}.`, { cause: error })
}
