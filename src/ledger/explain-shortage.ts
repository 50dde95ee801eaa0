import type { Nano } from '../core/money.ts'
import type { Engine } from '../store/engine.ts'
import type { HoldVerdict, HoldWish } from './ledger.ts'

type Shortage = Extract<HoldVerdict, { ok: false }>['reason']

/**
 * Says why a hold was refused. Money that is only set aside by requests in flight comes back, so a caller who
 * waits a moment may succeed: that is another answer than "there is none".
 */
export async function explainShortage(engine: Engine, wish: HoldWish): Promise<Shortage> {
  const row = await engine.db
    .selectFrom('api_key as k')
    .innerJoin('account as a', 'a.id', 'k.account_id')
    .select(['a.available_nano as account_nano', 'k.available_nano as key_nano'])
    .where('k.id', '=', wish.keyId)
    .executeTakeFirst()
  const account = row?.account_nano ?? 0n
  const key = row?.key_nano ?? null
  const held = await heldBy(engine, wish)
  const isKeyShort = key !== null && key < wish.amountNano
  const isAccountShort = account < wish.amountNano
  const comesBack =
    (!isKeyShort || key + held.keyNano >= wish.amountNano) &&
    (!isAccountShort || account + held.accountNano >= wish.amountNano)
  if (comesBack) return 'quota_in_flight'
  return isKeyShort && key + held.keyNano < wish.amountNano
    ? 'key_quota_exhausted'
    : 'insufficient_credit'
}

async function heldBy(
  engine: Engine,
  wish: HoldWish,
): Promise<{ accountNano: Nano; keyNano: Nano }> {
  const leases = await engine.db
    .selectFrom('lease')
    .select(['key_id', 'granted_nano'])
    .where('account_id', '=', wish.accountId)
    .execute()
  let accountNano = 0n
  let keyNano = 0n
  for (const lease of leases) {
    accountNano += lease.granted_nano
    if (lease.key_id === wish.keyId) keyNano += lease.granted_nano
  }
  return { accountNano, keyNano }
}
