import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { openStore } from '../../../src/store/open-store.ts'

/** The state of the ledger in a deployment with one account. */
export interface LedgerState {
  readonly imbalances: Awaited<ReturnType<typeof findImbalances>>
  readonly creditNano: bigint
  readonly spentNano: bigint
  readonly availableNano: bigint
  /** By request id. */
  readonly entries: ReadonlyMap<string, { readonly source: string; readonly costNano: bigint }>
  readonly rows: ReadonlyMap<string, { readonly status: number; readonly reason: string | null }>
}

export async function readLedger(databaseUrl: string): Promise<LedgerState> {
  const engine = await openStore(databaseUrl)
  const { db } = engine
  try {
    const account = await db
      .selectFrom('account')
      .select('available_nano')
      .where('id', '=', 'acme')
      .executeTakeFirstOrThrow()
    const credits = await db.selectFrom('credit').select('amount_nano').execute()
    const entries = await db.selectFrom('entry').selectAll().execute()
    const rows = await db.selectFrom('usage_row').selectAll().execute()
    return {
      imbalances: await findImbalances(engine),
      creditNano: credits.reduce((sum, each) => sum + each.amount_nano, 0n),
      spentNano: entries.reduce((sum, each) => sum + each.cost_nano, 0n),
      availableNano: account.available_nano,
      entries: new Map(
        entries.map((each) => [
          each.request_id,
          { source: each.usage_source, costNano: each.cost_nano },
        ]),
      ),
      rows: new Map(
        rows.map((each) => [each.request_id, { status: each.status, reason: each.reason }]),
      ),
    }
  } finally {
    await engine.close()
  }
}
