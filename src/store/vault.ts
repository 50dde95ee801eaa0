import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32

/** Secrets at rest: looked up by a keyed hash, read back only through AES-256-GCM. */
export interface Vault {
  /** The same value always gives the same text, and without the secret the text tells nothing. */
  lookupHash(value: string): string
  /** `purpose` is bound to the sealed text, so that one column's secret cannot be moved into another. */
  seal(value: string, purpose: string): string
  open(sealed: string, purpose: string): string
}

export function createVault(secret: Uint8Array): Vault {
  const derive = (info: string) =>
    Buffer.from(hkdfSync('sha256', secret, '', `tollgate ${info}`, keyBytes))
  const lookupKey = derive('lookup')
  const sealKey = derive('seal')
  return {
    lookupHash: (value) =>
      new Bun.CryptoHasher('sha256', lookupKey).update(value).digest('base64url'),
    seal: (value, purpose) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce)
      cipher.setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open: (sealed, purpose) => {
      const bytes = Buffer.from(sealed, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, nonceBytes))
      decipher.setAAD(Buffer.from(purpose))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      const body = decipher.update(bytes.subarray(nonceBytes + tagBytes))
      return Buffer.concat([body, decipher.final()]).toString('utf8')
    },
  }
}
