import type { AccountDirectory, AccountRecord } from '../../accounts/account-directory.ts'
import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { KeyDirectory } from '../../keys/key-directory.ts'
import type { KeyRecord } from '../../keys/key-record.ts'
import type { Call } from '../call.ts'
import { invalidToken, readPresentedKey } from './presented-key.ts'

export interface Caller {
  readonly key: KeyRecord
  readonly account: AccountRecord
}

/** What the client learns about a key that may not be used. */
export const unusableKey =
  'it is unknown, incomplete, disabled or expired. Check it in the console.'

interface Directories {
  readonly keys: KeyDirectory
  readonly accounts: AccountDirectory
  readonly clock: Clock
}

/**
 * Throws 401 unless the request presents exactly one key that is complete, known, enabled and not expired. Synchronous
 * for a key in memory, which is nearly always the case.
 */
export function authenticate(call: Call, parts: Directories): Caller | Promise<Caller> {
  const key = parts.keys.find(readPresentedKey(call.headers, call.path, call.query))
  if (key instanceof Promise) return inReach(key).then((found) => findAccount(found, parts))
  return findAccount(key, parts)
}

function findAccount(key: KeyRecord | undefined, parts: Directories): Caller | Promise<Caller> {
  if (!key?.isEnabled) throw invalidToken(unusableKey)
  if (key.expiresAtMs !== undefined && key.expiresAtMs <= parts.clock.nowMs()) {
    throw invalidToken(unusableKey)
  }
  const account = parts.accounts.find(key.accountId)
  if (account instanceof Promise) return inReach(account).then((found) => callerOf(key, found))
  return callerOf(key, account)
}

function callerOf(key: KeyRecord, account: AccountRecord | undefined): Caller {
  if (!account) throw invalidToken(unusableKey)
  return { key, account }
}

/** The lookup of a key that is not in memory. If the lookup fails, the client may retry. */
async function inReach<T>(lookup: Promise<T>): Promise<T> {
  try {
    return await lookup
  } catch (error) {
    throw outOfReach(error)
  }
}

function outOfReach(cause: unknown): Fault {
  return new Fault('unavailable', 'The gateway cannot look up this API key now. Try again.', {
    retryAfterSeconds: 1,
    operatorMessage: `key look-up failed: ${cause instanceof Error ? cause.message : String(cause)}`,
    cause,
  })
}
