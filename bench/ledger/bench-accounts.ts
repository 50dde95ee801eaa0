import type { Engine } from '../../src/store/engine.ts'

const creditNano = 1_000_000_000_000_000n

/** Creates the given number of keys, each with its own account and enough money. */
export async function openBenchAccounts({ db }: Engine, keys: number): Promise<void> {
  for (let number = 0; number < keys; number += 1) {
    const account = {
      id: accountOf(number),
      name: 'Bench',
      status: 'active',
      ends_at: null,
      available_nano: creditNano,
      created_at: 1,
    }
    const key = {
      id: keyOf(number),
      account_id: accountOf(number),
      name: 'bench',
      value_hash: `hash-${number}`,
      value_sealed: '',
      value_hint: '',
      imported: 0,
      groups: '[]',
      models: null,
      addresses: null,
      quota_nano: creditNano,
      available_nano: creditNano,
      spent_nano: 0n,
      expires_at: null,
      enabled: 1,
      created_at: 1,
    }
    await db.insertInto('account').values(account).execute()
    await db.insertInto('api_key').values(key).execute()
  }
}

export function accountOf(number: number): string {
  return `account-${number}`
}

export function keyOf(number: number): string {
  return `key-${number}`
}
