import type { SqlValue } from './engine.ts'
import type { ShapedRecord, Tally } from './shape.ts'

interface Sum {
  readonly by: readonly SqlValue[]
  nano: number
  /** What a number could not hold exactly any more. */
  largeNano: bigint
}

/** The sums of one shape's tally over one batch. */
export class TallySums {
  readonly #tally: Tally
  readonly #sums = new Map<string, Sum>()
  #last: Sum | undefined

  constructor(tally: Tally) {
    this.#tally = tally
  }

  add(record: ShapedRecord): void {
    const sum = this.#sumOf(record)
    const nano = Number(record[this.#tally.sum + 1] ?? 0)
    const next = sum.nano + nano
    if (Number.isSafeInteger(next)) {
      sum.nano = next
    } else {
      sum.largeNano += BigInt(sum.nano)
      sum.nano = nano
    }
  }

  /** Each sum with what it is by, in an order that is the same everywhere. */
  *values(): Generator<SqlValue[]> {
    for (const name of [...this.#sums.keys()].sort()) {
      const sum = this.#sums.get(name)
      if (sum) yield [BigInt(sum.nano) + sum.largeNano, ...sum.by]
    }
  }

  #sumOf(record: ShapedRecord): Sum {
    const { by } = this.#tally
    // Records of one key come one after the other.
    const last = this.#last
    if (last && by.every((index, at) => record[index + 1] === last.by[at])) return last
    const values = by.map((index) => record[index + 1] ?? null)
    const name = JSON.stringify(values)
    let sum = this.#sums.get(name)
    if (!sum) {
      sum = { by: values, nano: 0, largeNano: 0n }
      this.#sums.set(name, sum)
    }
    this.#last = sum
    return sum
  }
}
