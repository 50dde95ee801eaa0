import type { ShapedRecord, Tally } from './shape.ts'
import type { SqlValue } from './sql-statement.ts'

interface Group {
  readonly by: readonly SqlValue[]
  count: number
  readonly totals: number[]
  /** The part of a sum that exceeds the exact range of a number. */
  readonly large: bigint[]
}

/** The sums of one tally over one batch. */
export class TallySums {
  readonly #tally: Tally
  readonly #groups = new Map<string, Group>()
  #last: Group | undefined

  constructor(tally: Tally) {
    this.#tally = tally
  }

  add(record: ShapedRecord): void {
    const group = this.#groupOf(record)
    const { totals, large } = group
    group.count += 1
    let at = 0
    for (const index of this.#tally.sums) {
      const amount = Number(record[index + 1] ?? 0)
      const total = totals[at] ?? 0
      if (Number.isSafeInteger(total + amount)) {
        totals[at] = total + amount
      } else {
        large[at] = (large[at] ?? 0n) + BigInt(total)
        totals[at] = amount
      }
      at += 1
    }
  }

  /** The number of records, each sum, and the `by` values, in an order that is the same in every process. */
  *values(): Generator<SqlValue[]> {
    for (const name of [...this.#groups.keys()].sort()) {
      const group = this.#groups.get(name)
      if (!group) continue
      const { totals, large } = group
      const sums =
        large.length === 0 ? totals : totals.map((total, at) => BigInt(total) + (large[at] ?? 0n))
      yield [group.count, ...sums, ...group.by]
    }
  }

  #groupOf(record: ShapedRecord): Group {
    const { by, sums } = this.#tally
    // Records of one key usually follow each other.
    const last = this.#last
    if (last && by.every((index, at) => (record[index + 1] ?? null) === last.by[at])) return last
    let name = ''
    for (const index of by) name += nameOf(record[index + 1] ?? null)
    let group = this.#groups.get(name)
    if (!group) {
      const values = by.map((index) => record[index + 1] ?? null)
      group = { by: values, count: 0, totals: sums.map(() => 0), large: [] }
      this.#groups.set(name, group)
    }
    this.#last = group
    return group
  }
}

/** Each text includes its length, so that two different lists of values never give the same name. */
function nameOf(value: string | number | null): string {
  if (value === null) return '-'
  return typeof value === 'number' ? `${value};` : `${value.length}:${value}`
}
