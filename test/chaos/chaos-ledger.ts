import { readdirSync } from 'node:fs'
import { smallerOf } from '../../src/core/money/money.ts'
import { findImbalances } from '../../src/ledger/audit/conservation.ts'
import { openStore } from '../../src/store/open-store.ts'

export interface ChaosEntry {
  readonly source: string
  readonly costNano: bigint
}

/** All facts about money in a database. */
export interface ChaosLedger {
  readonly imbalances: Awaited<ReturnType<typeof findImbalances>>
  readonly entries: ReadonlyMap<string, ChaosEntry>
  /** The status in the usage log, by request id. */
  readonly rows: ReadonlyMap<string, number>
  /** The number of requests in the hourly sums. */
  readonly summedRequests: number
  readonly leases: number
  /** The smallest available amount of an account, a key with a quota or a budget. */
  readonly leastNano: bigint
}

export async function readChaosLedger(databaseUrl: string): Promise<ChaosLedger> {
  const engine = await openStore(databaseUrl)
  const { db } = engine
  try {
    const entries = await db
      .selectFrom('entry')
      .select(['request_id', 'usage_source', 'cost_nano'])
      .execute()
    const rows = await db.selectFrom('usage_row').select(['request_id', 'status']).execute()
    const hours = await db.selectFrom('usage_hour').select('requests').execute()
    const leases = await db.selectFrom('lease').select('id').execute()
    const accounts = await db.selectFrom('account').select('available_nano').execute()
    const keys = await db.selectFrom('api_key').select('available_nano').execute()
    const counters = await db.selectFrom('budget_counter').select('available_nano').execute()
    const lefts = [...accounts, ...keys, ...counters].flatMap(
      ({ available_nano: left }) => left ?? [],
    )
    return {
      imbalances: await findImbalances(engine),
      entries: new Map(
        entries.map((each) => [
          each.request_id,
          { source: each.usage_source, costNano: each.cost_nano },
        ]),
      ),
      rows: new Map(rows.map((each) => [each.request_id, each.status])),
      summedRequests: hours.reduce((sum, { requests }) => sum + Number(requests), 0),
      leases: leases.length,
      leastNano: lefts.reduce(smallerOf, 0n),
    }
  } finally {
    await engine.close()
  }
}

/** The journal files that processes have left behind. */
export function journalFiles(dataFolder: string): string[] {
  return readdirSync(dataFolder, { recursive: true })
    .map(String)
    .filter((name) => /journal-.*\.log$/.test(name))
}
