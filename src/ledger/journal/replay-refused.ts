import { existsSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../../store/engine.ts'
import { applyOrSetAside, recordsIn } from './apply-or-set-aside.ts'
import { openJournal, sealLine } from './journal-lines.ts'
import { lockKept } from './kept-lines.ts'
import { refusedFileName } from './leftovers.ts'

export interface Replay {
  /** Records that the database has now, be it that it had them before. */
  readonly applied: number
  /** Records that it still refuses. */
  readonly refused: number
  /** Lines that cannot be read. */
  readonly damaged: number
}

const batchMax = 256

/**
 * Applies what was set aside. What the database has already does not change, so a replay that was cut short is simply
 * repeated. What it still refuses, and what cannot be read, stays. No process adds to the file meanwhile.
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

/** The file is the old one or the new one, whatever happens on the way. */
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
