import { createHash } from 'node:crypto'
import type { RandomBytes } from '../core/id.ts'
import { keyValuePattern } from './definition/key.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'sk-'
const secretLength = 42
const checksumLength = 6

/** A new key: `sk-`, 42 random base62 characters and six that are a checksum of the rest. */
export function mintKeyValue(random: RandomBytes): string {
  let secret = ''
  while (secret.length < secretLength) {
    for (const byte of random(secretLength)) {
      // 248 is the largest multiple of 62 in a byte: dropping the rest keeps every character equally likely.
      if (byte < 248 && secret.length < secretLength) secret += alphabet[byte % 62]
    }
  }
  return prefix + secret + checksum(secret)
}

/** Whether a value is whole and untouched: a truncated or mistyped key is refused without a look-up. */
export function isMintedKeyValue(value: string): boolean {
  if (value.length !== prefix.length + secretLength + checksumLength) return false
  if (!value.startsWith(prefix)) return false
  const secret = value.slice(prefix.length, prefix.length + secretLength)
  return value.endsWith(checksum(secret))
}

/** Whether a value that a deployment brings along may be a key: printable, without spaces, long enough. */
export function isImportableKeyValue(value: string): boolean {
  return keyValuePattern.test(value)
}

/** What may be shown in a list: enough to recognise a key, far too little to use it. */
export function hintOf(value: string): string {
  return `${value.slice(0, 3)}…${value.slice(-4)}`
}

function checksum(secret: string): string {
  const digest = createHash('sha256').update(`tollgate key ${secret}`).digest()
  let number = digest.readUIntBE(0, 6)
  let text = ''
  for (let index = 0; index < checksumLength; index += 1) {
    text += alphabet[number % 62]
    number = Math.floor(number / 62)
  }
  return text
}
