import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import {
  type BackupHead,
  type BackupLine,
  type BackupTable,
  formatVersion,
  readLine,
} from './backup-lines.ts'
import { BackupProblem } from './backup-problem.ts'

/** A longer line is not one of ours. The longest one is a stored response. */
const lineBytesMax = 512 * 2 ** 20

/** The parts of a backup for its reader; `rows` belong to the last `table`. */
export interface BackupReader {
  head(head: BackupHead): Promise<void>
  table(table: BackupTable): Promise<void>
  row(row: Extract<BackupLine, readonly unknown[]>, bytes: number): Promise<void>
}

/** Reads a backup from its first line to its last, in little memory. Throws when it is not whole and unchanged. */
export async function readBackup(path: string, reader: BackupReader): Promise<{ rows: number }> {
  const hash = createHash('sha256')
  let state: 'begin' | 'rows' | 'end' = 'begin'
  let width = -1
  let rows = 0
  for await (const bytes of linesOf(path)) {
    const line = readLine(bytes.toString('utf8'))
    if (line === undefined || state === 'end') throw damaged(path)
    if (Array.isArray(line)) {
      if (line.length !== width) throw damaged(path)
      rows += 1
      await reader.row(line, bytes.length)
    } else if ('tollgate' in line) {
      if (state !== 'begin') throw damaged(path)
      if (line.format !== formatVersion) throw otherFormat(path, line.format)
      state = 'rows'
      await reader.head(line)
    } else if ('table' in line) {
      if (state !== 'rows') throw damaged(path)
      width = line.columns.length
      await reader.table(line)
    } else if ('end' in line) {
      if (line.sha256 !== hash.copy().digest('hex') || line.rows !== rows) throw damaged(path)
      state = 'end'
    }
    hash.update(bytes).update('\n')
  }
  if (state !== 'end') throw damaged(path)
  return { rows }
}

async function* linesOf(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path)
  const unzip = createGunzip()
  file.on('error', (error) => unzip.destroy(error))
  let held: Buffer[] = []
  let heldBytes = 0
  try {
    for await (const chunk of file.pipe(unzip) as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        yield Buffer.concat([...held, chunk.subarray(from, at)])
        held = []
        heldBytes = 0
        from = at + 1
      }
      held.push(chunk.subarray(from))
      heldBytes += chunk.length - from
      if (heldBytes > lineBytesMax) throw damaged(path)
    }
  } catch (error) {
    throw unreadable(path, error)
  } finally {
    file.destroy()
    unzip.destroy()
  }
  if (heldBytes > 0) throw damaged(path)
}

function unreadable(path: string, error: unknown): Error {
  if (error instanceof BackupProblem) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') return new BackupProblem(`There is no file ${path}.`, { cause: error })
  if (code === 'EACCES' || code === 'EISDIR')
    return new BackupProblem(`The file ${path} cannot be read (${code}).`, { cause: error })
  return damaged(path, error)
}

function damaged(path: string, cause?: unknown): BackupProblem {
  return new BackupProblem(
    `${path} is not a whole, unchanged backup of Tollgate; use another copy. Nothing was restored.`,
    { cause },
  )
}

function otherFormat(path: string, format: number): BackupProblem {
  return new BackupProblem(
    `${path} has backup format ${format}, and this version reads format ${formatVersion}; restore it with the version that wrote it.`,
  )
}
