import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { joinSlowly } from '../core/join-slowly.ts'
import { turns } from '../core/turns.ts'

const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32

/** Secrets at rest: found by a keyed hash, readable only through AES-256-GCM. */
export interface Vault {
  /** The same value always gives the same text; without the secret the text reveals nothing. */
  lookupHash(value: string): string
  /** `purpose` is bound to the sealed text, so that the secret of one column cannot be moved into another. */
  seal(value: string, purpose: string): string
  open(sealed: string, purpose: string): string
  /** Like `seal`, for a long value, spread over several turns of the event loop. */
  sealSlowly(pieces: Iterable<string>, purpose: string): Promise<string>
  openSlowly(sealed: string, purpose: string): Promise<string>
}

/** Work of one turn: some milliseconds. Base64 encodes three bytes as four characters. */
const bytesPerTurn = 3 * 256 * 1024
const charactersPerTurn = 4 * 256 * 1024

export function createVault(secret: Uint8Array): Vault {
  const derive = (info: string) =>
    Buffer.from(hkdfSync('sha256', secret, '', `tollgate ${info}`, keyBytes))
  const lookupKey = derive('lookup')
  const sealKey = derive('seal')
  const cipherOf = (nonce: Uint8Array, purpose: string) =>
    createCipheriv('aes-256-gcm', sealKey, nonce).setAAD(Buffer.from(purpose))
  const decipherOf = (head: Uint8Array, purpose: string) =>
    createDecipheriv('aes-256-gcm', sealKey, head.subarray(0, nonceBytes))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(head.subarray(nonceBytes, nonceBytes + tagBytes))
  return {
    lookupHash: (value) =>
      new Bun.CryptoHasher('sha256', lookupKey).update(value).digest('base64url'),
    seal: (value, purpose) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = cipherOf(nonce, purpose)
      const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open: (sealed, purpose) => {
      const bytes = Buffer.from(sealed, 'base64url')
      const decipher = decipherOf(bytes, purpose)
      const body = decipher.update(bytes.subarray(nonceBytes + tagBytes))
      return Buffer.concat([body, decipher.final()]).toString('utf8')
    },
    sealSlowly: async (pieces, purpose) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = cipherOf(nonce, purpose)
      const body: Uint8Array[] = []
      for (const piece of pieces) {
        await turns.next()
        body.push(cipher.update(piece, 'utf8'))
      }
      body.push(cipher.final())
      const bytes = Buffer.from((await joinSlowly([nonce, cipher.getAuthTag(), ...body])).buffer)
      const letters: string[] = []
      for (let at = 0; at < bytes.length; at += bytesPerTurn) {
        await turns.next()
        letters.push(bytes.toString('base64url', at, Math.min(at + bytesPerTurn, bytes.length)))
      }
      return letters.join('')
    },
    openSlowly: async (sealed, purpose) => {
      const parts: Uint8Array[] = []
      for (let at = 0; at < sealed.length; at += charactersPerTurn) {
        await turns.next()
        parts.push(Buffer.from(sealed.slice(at, at + charactersPerTurn), 'base64url'))
      }
      const bytes = await joinSlowly(parts)
      const decipher = decipherOf(bytes, purpose)
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      const texts: string[] = []
      for (let at = nonceBytes + tagBytes; at < bytes.length; at += bytesPerTurn) {
        await turns.next()
        const part = decipher.update(bytes.subarray(at, at + bytesPerTurn))
        texts.push(decoder.decode(part, { stream: true }))
      }
      // `final` throws if the tag is wrong, so no unverified text is returned.
      texts.push(decoder.decode(decipher.final()))
      return texts.join('')
    },
  }
}
