import { existsSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../../store/engine.ts'
import { applyOrSetAside, recordsIn } from './apply-or-set-aside.ts'
import { openJournal, sealLine } from './journal-lines.ts'
import { lockKept } from './kept-lines.ts'
import { refusedFileName } from './leftovers.ts'

export interface Replay {
  /** Records that the database has now, including those that it already had. */
  readonly applied: number
  /** Records that the database still refuses. */
  readonly refused: number
  readonly damaged: number
}

const batchMax = 256

/**
 * Applies the records that were set aside. Records that the database already has do not change, so an interrupted
 * replay can be repeated. Records that are still refused, and unreadable lines, stay in the file. The lock keeps other
 * processes from appending meanwhile.
 */
export async function replayRefused(engine: Engine, folder: string): Promise<Replay> {
  const path = join(folder, refusedFileName)
  if (!existsSync(path)) return { applied: 0, refused: 0, damaged: 0 }
  const lock = await lockKept(folder, refusedFileName)
  try {
    const text = await readFile(path, 'utf8')
    const { lines, damagedTexts } = openJournal(text)
    const texts = lines.map(({ json }) => json)
    const refusedTexts: string[] = []
    for (let at = 0; at < texts.length; at += batchMax) {
      await applyOrSetAside(engine, texts.slice(at, at + batchMax), async (still) => {
        refusedTexts.push(...still)
      })
    }
    const kept = [...refusedTexts.map((each) => sealLine('S', each)), ...damagedTexts.map(asLine)]
    await replace(path, kept.join(''))
    const refused = countRecords(refusedTexts)
    return { applied: countRecords(texts) - refused, refused, damaged: damagedTexts.length }
  } finally {
    lock.release()
  }
}

function countRecords(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + recordsIn(text).length, 0)
}

function asLine(text: string): string {
  return `${text}\n`
}

/** Replaces the file atomically: after a crash it is either the old or the new one. */
async function replace(path: string, text: string): Promise<void> {
  if (text === '') {
    await rm(path)
    return
  }
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
