import type { RandomBytes } from '../core/id.ts'
import { chosenSecretPattern } from '../fields/kinds.ts'
import { isMintedValue, type MintedKind, mintValue } from '../store/secrets/minted-value.ts'

const keyValues: MintedKind = { prefix: 'sk-', salt: 'tollgate key' }

/** A new key: `sk-`, 42 random base62 characters and a checksum of six characters. */
export function mintKeyValue(random: RandomBytes): string {
  return mintValue(keyValues, random)
}

/** Whether the checksum of a value is right: a truncated or mistyped key is rejected without a look-up. */
export function isMintedKeyValue(value: string): boolean {
  return isMintedValue(keyValues, value)
}

/** Whether a value that the operator supplies can be a key: printable, no spaces, long enough. */
export function isImportableKeyValue(value: string): boolean {
  return chosenSecretPattern.test(value)
}
