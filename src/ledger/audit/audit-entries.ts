import type { Selectable } from 'kysely'
import { firstRequestIdAt } from '../../core/id.ts'
import { dollarText } from '../../core/money/money.ts'
import type { Price } from '../../core/money/price.ts'
import type { Engine } from '../../store/engine.ts'
import { priceOfRow, readFeatureUses } from '../../store/rows/price-row.ts'
import type { EntryTable } from '../../store/tables/tables.ts'
import { rerate } from '../journal/rerate.ts'

const pageRows = 5_000

type AuditedEntry = Selectable<EntryTable> & {
  readonly row_id: string | null
  readonly row_account: string | null
  readonly row_key: string | null
  readonly row_cost_nano: bigint | null
  readonly key_account: string | null
  readonly uncovered_nano: bigint | null
}

/** Gets one line for each problem. */
interface EntryFindings {
  onPair(line: string): void
  onPrice(line: string): void
}

/**
 * Checks all entries, page by page: each has one matching usage row (L2), belongs to an existing key, and costs what
 * its usage, price version and factor give, minus the uncovered part (L8). Then checks all rows with a cost: each has
 * an entry. Entries outlive expired usage rows, so entries of requests before `rowsFromMs` need no row.
 */
export async function auditEntries(
  engine: Engine,
  rowsFromMs: number,
  findings: EntryFindings,
): Promise<{ entries: number; rows: number }> {
  const prices = await readPrices(engine)
  const rowsFromId = firstRequestIdAt(rowsFromMs)
  let entries = 0
  for (let afterId: string | undefined = ''; afterId !== undefined; ) {
    const page = await readPage(engine, afterId)
    for (const entry of page) {
      const hasRow = entry.request_id >= rowsFromId
      for (const line of pairProblems(entry, hasRow)) findings.onPair(line)
      const problem = priceProblem(entry, prices)
      if (problem !== undefined) findings.onPrice(problem)
    }
    entries += page.length
    afterId = page.length < pageRows ? undefined : page.at(-1)?.request_id
  }
  return { entries, rows: await auditRows(engine, findings) }
}

function readPage({ db }: Engine, afterId: string): Promise<AuditedEntry[]> {
  return db
    .selectFrom('entry')
    .leftJoin('usage_row', 'usage_row.request_id', 'entry.request_id')
    .leftJoin('api_key', 'api_key.id', 'entry.key_id')
    .leftJoin('uncovered', 'uncovered.request_id', 'entry.request_id')
    .selectAll('entry')
    .select([
      'usage_row.request_id as row_id',
      'usage_row.account_id as row_account',
      'usage_row.key_id as row_key',
      'usage_row.cost_nano as row_cost_nano',
      'api_key.account_id as key_account',
      'uncovered.uncovered_nano',
    ])
    .where('entry.request_id', '>', afterId)
    .orderBy('entry.request_id')
    .limit(pageRows)
    .execute()
}

function pairProblems(entry: AuditedEntry, hasRow: boolean): string[] {
  const name = `entry ${entry.request_id}`
  const problems: string[] = []
  if (entry.key_account !== entry.account_id) {
    problems.push(`${name}: account ${entry.account_id} has no key ${entry.key_id}`)
  }
  if (entry.row_id === null) return hasRow ? [...problems, `${name} has no usage row`] : problems
  if (entry.row_account !== entry.account_id || entry.row_key !== entry.key_id) {
    problems.push(`${name}: its usage row names another account or key`)
  }
  if (entry.row_cost_nano !== entry.cost_nano) {
    const rowCost = dollarText(entry.row_cost_nano ?? 0n)
    problems.push(`${name} costs ${dollarText(entry.cost_nano)}, its usage row says ${rowCost}`)
  }
  return problems
}

function priceProblem(entry: AuditedEntry, prices: ReadonlyMap<string, Price>): string | undefined {
  const price = prices.get(entry.price_version_id)
  if (!price)
    return `entry ${entry.request_id}: there is no price version ${entry.price_version_id}`
  const costNano = rerate(
    {
      usage: {
        input: entry.input_tokens,
        cacheRead: entry.cache_read_tokens,
        cacheWrite5m: entry.cache_write_5m_tokens,
        cacheWrite1h: entry.cache_write_1h_tokens,
        output: entry.output_tokens,
        reasoning: entry.reasoning_tokens,
        features: readFeatureUses(entry.features),
      },
      usageSource: entry.usage_source,
      factorMicro: BigInt(entry.factor_micro),
      flags: entry.flags,
    },
    price,
  )
  const uncoveredNano = entry.uncovered_nano ?? 0n
  if (costNano === entry.cost_nano + uncoveredNano) return undefined
  const besides = uncoveredNano === 0n ? '' : ` and ${dollarText(uncoveredNano)} uncovered`
  return `entry ${entry.request_id} costs ${dollarText(entry.cost_nano)}${besides}, its usage and price make ${dollarText(costNano)}`
}

/** Rows without a cost may belong to refused requests, which have no entry. */
async function auditRows({ db }: Engine, findings: EntryFindings): Promise<number> {
  let rows = 0
  for (let afterId: string | undefined = ''; afterId !== undefined; ) {
    const page: { request_id: string; cost_nano: bigint; entry_id: string | null }[] = await db
      .selectFrom('usage_row')
      .leftJoin('entry', 'entry.request_id', 'usage_row.request_id')
      .select(['usage_row.request_id', 'usage_row.cost_nano', 'entry.request_id as entry_id'])
      .where('usage_row.request_id', '>', afterId)
      .orderBy('usage_row.request_id')
      .limit(pageRows)
      .execute()
    for (const row of page) {
      if (row.entry_id !== null || row.cost_nano === 0n) continue
      findings.onPair(
        `usage row ${row.request_id} costs ${dollarText(row.cost_nano)} and has no entry`,
      )
    }
    rows += page.length
    afterId = page.length < pageRows ? undefined : page.at(-1)?.request_id
  }
  return rows
}

async function readPrices({ db }: Engine): Promise<Map<string, Price>> {
  const rows = await db.selectFrom('price_version').selectAll().execute()
  return new Map(rows.map((row) => [row.id, priceOfRow(row)]))
}
