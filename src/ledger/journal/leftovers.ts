import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { recordsIn } from './apply-or-set-aside.ts'
import { isKeptForDamage, openJournal } from './journal-lines.ts'

/** Records that the database refuses because of their content; `tollgate ledger replay` applies them. */
export const refusedFileName = 'refused.log'

/** The records in a journal folder that need an operator; all counts are zero on a healthy gateway. */
export interface Leftovers {
  /** Records that the database has refused. */
  readonly refusedRecords: number
  /** Journal lines that cannot be read. */
  readonly damagedLines: number
}

type Counted = { readonly stamp: string; readonly count: number }

/** Counts the leftovers of a folder. A file is read again only after it has changed. */
export class LeftoverCounter {
  readonly #folder: string
  #counted = new Map<string, Counted>()

  constructor(folder: string) {
    this.#folder = folder
  }

  count(): Leftovers {
    const before = this.#counted
    this.#counted = new Map()
    let refusedRecords = 0
    let damagedLines = 0
    for (const name of namesIn(this.#folder)) {
      if (name === refusedFileName) refusedRecords += this.#countOf(name, before, countRecords)
      else if (isKeptForDamage(name)) damagedLines += this.#countOf(name, before, countDamaged)
    }
    return { refusedRecords, damagedLines }
  }

  #countOf(
    name: string,
    before: ReadonlyMap<string, Counted>,
    count: (text: string) => number,
  ): number {
    const path = join(this.#folder, name)
    try {
      const { size, mtimeMs } = statSync(path)
      const stamp = `${size} ${mtimeMs}`
      const known = before.get(name)
      const counted =
        known?.stamp === stamp ? known : { stamp, count: count(readFileSync(path, 'utf8')) }
      this.#counted.set(name, counted)
      return counted.count
    } catch {
      // The file was removed a moment ago.
      return 0
    }
  }
}

export function countLeftovers(folder: string): Leftovers {
  return new LeftoverCounter(folder).count()
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** An unreadable line counts as one record; an operator has to find out what it was. */
function countRecords(text: string): number {
  const { lines, damagedTexts } = openJournal(text)
  const counts = lines.map(({ json }) => Math.max(1, recordsIn(json).length))
  return counts.reduce((sum, count) => sum + count, damagedTexts.length)
}

function countDamaged(text: string): number {
  return openJournal(text).damagedTexts.length
}
