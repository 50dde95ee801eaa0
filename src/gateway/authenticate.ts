import type { AccountDirectory, AccountRecord } from '../accounts/account-directory.ts'
import type { Clock } from '../core/clock.ts'
import type { KeyDirectory } from '../keys/key-directory.ts'
import type { KeyRecord } from '../keys/key-record.ts'
import type { Call } from './call.ts'
import { invalidToken, readPresentedKey } from './presented-key.ts'

/** Who calls. */
export interface Caller {
  readonly key: KeyRecord
  readonly account: AccountRecord
}

const refusal = 'the API key is unknown, incomplete, disabled or expired. Check it in the console.'

/** 401 unless the request presents exactly one key that is whole, known, enabled and not expired. In memory. */
export async function authenticate(
  call: Call,
  parts: { keys: KeyDirectory; accounts: AccountDirectory; clock: Clock },
): Promise<Caller> {
  const found = parts.keys.find(readPresentedKey(call.headers, call.path, call.query))
  const key = found instanceof Promise ? await found : found
  if (!key?.isEnabled) throw invalidToken(refusal)
  if (key.expiresAtMs !== undefined && key.expiresAtMs <= parts.clock.nowMs())
    throw invalidToken(refusal)
  const owner = parts.accounts.find(key.accountId)
  const account = owner instanceof Promise ? await owner : owner
  if (!account) throw invalidToken(refusal)
  return { key, account }
}
