import type { RandomBytes } from '../core/id.ts'
import { isMintedValue, type MintedKind, mintValue } from '../store/minted-value.ts'
import { keyValuePattern } from './definition/key.ts'

const keyValues: MintedKind = { prefix: 'sk-', salt: 'tollgate key' }

/** A new key: `sk-`, 42 random base62 characters and six that are a checksum of the rest. */
export function mintKeyValue(random: RandomBytes): string {
  return mintValue(keyValues, random)
}

/** Whether a value is whole and untouched: a truncated or mistyped key is refused without a look-up. */
export function isMintedKeyValue(value: string): boolean {
  return isMintedValue(keyValues, value)
}

/** Whether a value that a deployment brings along may be a key: printable, without spaces, long enough. */
export function isImportableKeyValue(value: string): boolean {
  return keyValuePattern.test(value)
}
