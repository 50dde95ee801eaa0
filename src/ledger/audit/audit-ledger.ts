import { dollarText } from '../../core/money/money.ts'
import { plural } from '../../core/text/plural.ts'
import type { Engine } from '../../store/engine.ts'
import { auditEntries } from './audit-entries.ts'
import { findImbalances } from './conservation.ts'

/** One rule of the ledger, and its violations. */
export interface AuditCheck {
  readonly rule: 'L1' | 'L2' | 'L8'
  readonly name: string
  /** The examined records, such as `3 accounts, 5 keys`. */
  readonly examined: string
  readonly wrong: number
  /** The first violations, one sentence each. */
  readonly findings: readonly string[]
}

const findingsMax = 100

/**
 * Runs every check, from the first entry on. Reads the whole ledger and changes nothing. The request log is complete from
 * `rowsFromMs` on.
 */
export async function auditLedger(engine: Engine, rowsFromMs: number): Promise<AuditCheck[]> {
  const pairs = new Findings()
  const prices = new Findings()
  const balances = new Findings()
  for (const { kind, id, differenceNano } of await findImbalances(engine)) {
    balances.add(`${kind} ${id}: ${dollarText(differenceNano)} is not accounted for`)
  }
  const { entries, rows } = await auditEntries(engine, rowsFromMs, {
    onPair: (line) => pairs.add(line),
    onPrice: (line) => prices.add(line),
  })
  const accounts = await countOf(engine, 'account')
  const keys = await countOf(engine, 'api_key')
  return [
    {
      rule: 'L1',
      name: 'every charge is accounted for',
      examined: `${plural(accounts, 'account')}, ${plural(keys, 'key')}`,
      ...balances.summary(),
    },
    {
      rule: 'L2',
      name: 'one entry and one usage row for each request',
      examined: `${plural(entries, 'entry', 'entries')}, ${plural(rows, 'usage row')}`,
      ...pairs.summary(),
    },
    {
      rule: 'L8',
      name: 'every cost follows from usage and price',
      examined: plural(entries, 'entry', 'entries'),
      ...prices.summary(),
    },
  ]
}

/** Counts all findings, and keeps as many as a person can read. */
class Findings {
  readonly #lines: string[] = []
  #wrong = 0

  add(line: string): void {
    this.#wrong += 1
    if (this.#lines.length < findingsMax) this.#lines.push(line)
  }

  summary(): Pick<AuditCheck, 'wrong' | 'findings'> {
    return { wrong: this.#wrong, findings: this.#lines }
  }
}

async function countOf({ db }: Engine, table: 'account' | 'api_key'): Promise<number> {
  const row = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirst()
  return row?.count ?? 0
}
