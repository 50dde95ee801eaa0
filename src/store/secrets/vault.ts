import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { joinSlowly } from '../../core/runtime/join-slowly.ts'
import { turns } from '../../core/runtime/turns.ts'
import { derivedRing, type Keyring, keyIdCharacters, nonceBytes, tagBytes } from './keyring.ts'

/** Secrets at rest: found by a keyed hash, readable only through AES-256-GCM. */
export interface Vault {
  /** The same value always gives the same text; without the secret the text reveals nothing. */
  lookupHash(value: string): string
  /** `purpose` is bound to the sealed text, so that the secret of one column cannot be moved into another. */
  seal(value: string, purpose: string): string
  open(sealed: string, purpose: string): string
  /** Like `seal`, for a long value, spread over several turns of the event loop. */
  sealSlowly(pieces: Iterable<string | Uint8Array>, purpose: string): Promise<string>
  openSlowly(sealed: string, purpose: string): Promise<string>
  /** Like `openSlowly`, for a value that is not text. */
  openBytes(sealed: string, purpose: string): Promise<Uint8Array>
  /** The same value sealed with the current key; undefined if it is already. */
  reseal(sealed: string, purpose: string): string | undefined
}

/** Work of one turn: some milliseconds. Base64 encodes three bytes as four characters. */
const bytesPerTurn = 3 * 256 * 1024
const charactersPerTurn = 4 * 256 * 1024

/** The vault of a database whose secret was never rotated. */
export function createVault(secret: Uint8Array): Vault {
  const ring = derivedRing(secret)
  return vaultOf(() => ring)
}

/**
 * A vault whose keys may change while it is used: the secret can be rotated while the gateway runs. `sealingRing` throws
 * when nothing may be sealed any more.
 */
export function vaultOf(ring: () => Keyring, sealingRing = ring): Vault {
  const currentKey = (): SealKey => {
    const { sealKeys, currentId } = sealingRing()
    return { prefix: currentId === '' ? '' : `${currentId}.`, key: keyAt(sealKeys, currentId) }
  }
  const sealNow = (value: Uint8Array, purpose: string): string => {
    const nonce = randomBytes(nonceBytes)
    const { prefix, key } = currentKey()
    const cipher = cipherOf(key, nonce, purpose)
    const body = Buffer.concat([cipher.update(value), cipher.final()])
    return prefix + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
  }
  const openNow = (sealed: string, purpose: string): Buffer => {
    const { id, body: text } = splitSealed(sealed)
    const bytes = Buffer.from(text, 'base64url')
    const decipher = decipherOf(keyAt(ring().sealKeys, id), bytes, purpose)
    const body = decipher.update(bytes.subarray(nonceBytes + tagBytes))
    return Buffer.concat([body, decipher.final()])
  }
  /** Throws if the tag is wrong, so nothing unverified is returned. */
  const openPieces = async (sealed: string, purpose: string): Promise<Uint8Array[]> => {
    const { id, body: text } = splitSealed(sealed)
    const key = keyAt(ring().sealKeys, id)
    const bytes = await readSlowly(text)
    const decipher = decipherOf(key, bytes, purpose)
    const pieces: Uint8Array[] = []
    for (let at = nonceBytes + tagBytes; at < bytes.length; at += bytesPerTurn) {
      await turns.next()
      pieces.push(decipher.update(bytes.subarray(at, at + bytesPerTurn)))
    }
    pieces.push(decipher.final())
    return pieces
  }
  return {
    lookupHash: (value) =>
      new Bun.CryptoHasher('sha256', ring().lookupKey).update(value).digest('base64url'),
    seal: (value, purpose) => sealNow(Buffer.from(value), purpose),
    open: (sealed, purpose) => openNow(sealed, purpose).toString('utf8'),
    sealSlowly: async (pieces, purpose) => {
      const nonce = randomBytes(nonceBytes)
      const { prefix, key } = currentKey()
      const cipher = cipherOf(key, nonce, purpose)
      const body: Uint8Array[] = []
      for (const piece of pieces) {
        await turns.next()
        body.push(cipher.update(typeof piece === 'string' ? Buffer.from(piece) : piece))
      }
      body.push(cipher.final())
      const bytes = Buffer.from((await joinSlowly([nonce, cipher.getAuthTag(), ...body])).buffer)
      return prefix + (await writeSlowly(bytes))
    },
    openSlowly: async (sealed, purpose) => {
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      const texts: string[] = []
      for (const piece of await openPieces(sealed, purpose)) {
        await turns.next()
        texts.push(decoder.decode(piece, { stream: true }))
      }
      return texts.join('') + decoder.decode()
    },
    openBytes: async (sealed, purpose) => joinSlowly(await openPieces(sealed, purpose)),
    reseal: (sealed, purpose) =>
      splitSealed(sealed).id === ring().currentId
        ? undefined
        : sealNow(openNow(sealed, purpose), purpose),
  }
}

function cipherOf(key: Uint8Array, nonce: Uint8Array, purpose: string) {
  return createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
}

function decipherOf(key: Uint8Array, head: Uint8Array, purpose: string) {
  return createDecipheriv('aes-256-gcm', key, head.subarray(0, nonceBytes))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(head.subarray(nonceBytes, nonceBytes + tagBytes))
}

async function writeSlowly(bytes: Buffer): Promise<string> {
  const letters: string[] = []
  for (let at = 0; at < bytes.length; at += bytesPerTurn) {
    await turns.next()
    letters.push(bytes.toString('base64url', at, Math.min(at + bytesPerTurn, bytes.length)))
  }
  return letters.join('')
}

async function readSlowly(text: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for (let at = 0; at < text.length; at += charactersPerTurn) {
    await turns.next()
    parts.push(Buffer.from(text.slice(at, at + charactersPerTurn), 'base64url'))
  }
  return joinSlowly(parts)
}

interface SealKey {
  readonly prefix: string
  readonly key: Uint8Array
}

/** A sealed text begins with the id of its key and a point; without an id it belongs to the first key. */
function splitSealed(sealed: string): { readonly id: string; readonly body: string } {
  if (sealed[keyIdCharacters] !== '.') return { id: '', body: sealed }
  return { id: sealed.slice(0, keyIdCharacters), body: sealed.slice(keyIdCharacters + 1) }
}

function keyAt(keys: Keyring['sealKeys'], id: string): Uint8Array {
  const key = keys.get(id)
  if (!key) throw new Error('the value is sealed with a key that this process does not have')
  return key
}
