import { type Selectable, sql } from 'kysely'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import type { Engine } from '../../../src/store/engine.ts'
import type { AttemptTable, EntryTable, UsageRowTable } from '../../../src/store/tables/tables.ts'
import { eventually } from '../eventually.ts'
import type { AccountName, KeyName } from './test-provision.ts'

/** The requests and amounts in the database. Rows that are not written yet are awaited. */
export interface MoneyView {
  entry(requestId: string): Promise<Selectable<EntryTable>>
  usageRow(requestId: string): Promise<Selectable<UsageRowTable>>
  /** In order; empty for a request whose first attempt succeeded. */
  attempts(requestId: string): Promise<Selectable<AttemptTable>[]>
  /**
   * Credits minus charges, wherever the money is held. Like `spentBy`, includes everything that this gateway has
   * settled so far.
   */
  balance(account: AccountName): Promise<bigint>
  spentBy(key: KeyName): Promise<bigint>
  /** The number of rows, including everything that this gateway has settled so far. */
  counts(): Promise<{ entries: number; rows: number }>
  imbalances(): ReturnType<typeof findImbalances>
  /** Accounts and keys with a negative available amount. */
  overdrawn(): Promise<string[]>
}

/** `shipped` resolves when the database contains everything that this gateway has journalled so far. */
export function viewMoney(engine: Engine, shipped: () => Promise<void>): MoneyView {
  const { db } = engine
  const entries = db.selectFrom('entry').selectAll()
  const rows = db.selectFrom('usage_row').selectAll()
  /** After `shipped`, this gateway's rows exist; rows of another gateway or of running requests follow soon. */
  const find = <Row>(what: string, look: () => Promise<Row | undefined>) =>
    eventually(what, async () => {
      await shipped()
      return look()
    })
  const usageRow = (id: string) =>
    find(`the log row of ${id}`, () => rows.where('request_id', '=', id).executeTakeFirst())
  return {
    entry: (id) =>
      find(`the entry of ${id}`, () => entries.where('request_id', '=', id).executeTakeFirst()),
    usageRow,
    attempts: async (id) => {
      await usageRow(id)
      const attempts = db.selectFrom('attempt').selectAll().where('request_id', '=', id)
      return attempts.orderBy('ordinal').execute()
    },
    balance: async (account) => {
      await shipped()
      const granted = db.selectFrom('credit').select(total('amount_nano'))
      const spent = db.selectFrom('entry').select(total('cost_nano'))
      const [credit, cost] = await Promise.all([
        granted.where('account_id', '=', account).executeTakeFirstOrThrow(),
        spent.where('account_id', '=', account).executeTakeFirstOrThrow(),
      ])
      return credit.total_nano - cost.total_nano
    },
    spentBy: async (key) => {
      await shipped()
      const spent = db.selectFrom('entry').select(total('cost_nano'))
      return (await spent.where('key_id', '=', key).executeTakeFirstOrThrow()).total_nano
    },
    counts: async () => {
      await shipped()
      const count = sql<number>`COUNT(*)`.as('count')
      const [entered, logged] = await Promise.all([
        db.selectFrom('entry').select(count).executeTakeFirstOrThrow(),
        db.selectFrom('usage_row').select(count).executeTakeFirstOrThrow(),
      ])
      return { entries: entered.count, rows: logged.count }
    },
    imbalances: () => findImbalances(engine),
    overdrawn: async () => {
      const keys = db.selectFrom('api_key').select('id').where('available_nano', '<', 0n)
      const accounts = db.selectFrom('account').select('id').where('available_nano', '<', 0n)
      return (await keys.unionAll(accounts).execute()).map(({ id }) => id)
    },
  }
}

/** The database computes the sum: a test may need it after each of thousands of requests. */
function total(column: string) {
  return sql<bigint>`CAST(COALESCE(SUM(${sql.ref(column)}), 0) AS BIGINT)`.as('total_nano')
}
