import type { Engine } from '../../src/store/engine.ts'
import type { MemoryDatabase } from '../support/ledger/memory-database.ts'

const tables = ['lease', 'entry', 'uncovered', 'credit', 'api_key', 'account', 'replica', 'change']

/** An account with credit, a key with a quota and one without, and nothing else in the database. */
export async function openAccount(
  database: MemoryDatabase,
  { db }: Engine,
  money: { readonly creditNano: bigint; readonly quotaNano: bigint | undefined },
): Promise<void> {
  database.clear(tables)
  const { creditNano } = money
  const account = { id: 'a', name: 'A', status: 'active', ends_at: null, created_at: 1 }
  await db
    .insertInto('account')
    .values({ ...account, available_nano: creditNano })
    .execute()
  const credit = { id: 'c', account_id: 'a', source: 's', external_id: '1', reason: '' }
  await db
    .insertInto('credit')
    .values({ ...credit, amount_nano: creditNano, created_at: 1 })
    .execute()
  const key = (id: string, quotaNano: bigint | null) => ({
    id,
    account_id: 'a',
    name: id,
    value_hash: id,
    value_sealed: '',
    value_hint: '',
    imported: 0,
    groups: '[]',
    models: null,
    addresses: null,
    quota_nano: quotaNano,
    available_nano: quotaNano,
    spent_nano: 0n,
    expires_at: null,
    enabled: 1,
    created_at: 1,
  })
  await db
    .insertInto('api_key')
    .values([key('limited', money.quotaNano ?? null), key('free', null)])
    .execute()
}
