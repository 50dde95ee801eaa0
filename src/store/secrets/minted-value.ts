import { createHash } from 'node:crypto'
import type { RandomBytes } from '../../core/id.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 42
const checksumLength = 6

/** One kind of secret that the gateway generates: the prefix of its values, and the salt of their checksum. */
export interface MintedKind {
  readonly prefix: string
  readonly salt: string
}

/** Generates a value: the prefix, 42 random base62 characters, and six characters of checksum. */
export function mintValue(kind: MintedKind, random: RandomBytes): string {
  let secret = ''
  while (secret.length < secretLength) {
    for (const byte of random(secretLength)) {
      // 248 is the largest multiple of 62 in a byte. Dropping larger bytes keeps every character equally likely.
      if (byte < 248 && secret.length < secretLength) secret += alphabet[byte % 62]
    }
  }
  return kind.prefix + secret + checksum(kind, secret)
}

/** Whether the checksum of a value is correct: a truncated or mistyped value is refused without a look-up. */
export function isMintedValue(kind: MintedKind, value: string): boolean {
  const { prefix } = kind
  if (value.length !== prefix.length + secretLength + checksumLength) return false
  if (!value.startsWith(prefix)) return false
  const secret = value.slice(prefix.length, prefix.length + secretLength)
  return value.endsWith(checksum(kind, secret))
}

function checksum({ salt }: MintedKind, secret: string): string {
  const digest = createHash('sha256').update(`${salt} ${secret}`).digest()
  let number = digest.readUIntBE(0, 6)
  let text = ''
  for (let index = 0; index < checksumLength; index += 1) {
    text += alphabet[number % 62]
    number = Math.floor(number / 62)
  }
  return text
}
