import { createHmac } from 'node:crypto'

/* Codes of an authenticator app: RFC 6238 with the parameters that all apps support: SHA-1, six digits, 30 seconds. */

const stepMs = 30_000
const digits = 6
/** Clocks differ, so a code is accepted one step early or late. */
const stepsApart = 1
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0x0f
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * The time step of the code, which must be later than `afterStep` so that a code works once; undefined when no step
 * matches.
 */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  { nowMs, afterStep }: { readonly nowMs: number; readonly afterStep: number },
): number | undefined {
  const now = Math.floor(nowMs / stepMs)
  for (let step = now - stepsApart; step <= now + stepsApart; step += 1) {
    if (step > afterStep && totpCode(secret, step) === code) return step
  }
  return undefined
}

export function base32(bytes: Uint8Array): string {
  let text = ''
  let value = 0
  let bits = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(value >> bits) & 31]
      value &= (1 << bits) - 1
    }
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text
}

/** The content of the QR code for the authenticator app. */
export function totpUrl(secret: Uint8Array, email: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  const query = new URLSearchParams({ secret: base32(secret), issuer })
  return `otpauth://totp/${label}?${query.toString()}`
}
