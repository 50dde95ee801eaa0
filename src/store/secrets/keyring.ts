import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { isObject, parseJson } from '../../wire/json.ts'

const keyBytes = 32
/** The sizes of AES-GCM. */
export const nonceBytes = 12
export const tagBytes = 16

/** Characters of the id of a key. */
export const keyIdCharacters = 8

/**
 * The keys of a database. They are derived from the secret until the secret is first rotated. From then on they are
 * stored in the database, once for each valid secret, sealed with that secret.
 */
export interface Keyring {
  /** For hashes. It never changes: values of which only the hash is known could not be found otherwise. */
  readonly lookupKey: Uint8Array
  /** By id; the first key of a database has the empty id. */
  readonly sealKeys: ReadonlyMap<string, Uint8Array>
  readonly currentId: string
}

function derive(secret: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `tollgate ${info}`, keyBytes))
}

export function derivedRing(secret: Uint8Array): Keyring {
  return {
    lookupKey: derive(secret, 'lookup'),
    sealKeys: new Map([['', derive(secret, 'seal')]]),
    currentId: '',
  }
}

/** Names a secret without revealing anything about it. */
export function secretIdOf(secret: Uint8Array): string {
  return derive(secret, 'name').toString('hex').slice(0, 16)
}

/** The ring with a new key, which seals from now on. */
export function withNewKey(ring: Keyring): Keyring {
  const currentId = randomBytes(keyIdCharacters / 2).toString('hex')
  return {
    ...ring,
    sealKeys: new Map([...ring.sealKeys, [currentId, randomBytes(keyBytes)]]),
    currentId,
  }
}

export function onlyCurrentKey(ring: Keyring): Keyring {
  return { ...ring, sealKeys: new Map([...ring.sealKeys].filter(([id]) => id === ring.currentId)) }
}

export function wrapRing({ lookupKey, sealKeys, currentId }: Keyring, secret: Uint8Array): string {
  const text = JSON.stringify({
    lookup: Buffer.from(lookupKey).toString('base64'),
    seal: [...sealKeys].map(([id, key]) => [id, Buffer.from(key).toString('base64')]),
    current: currentId,
  })
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', derive(secret, 'keyring'), nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
}

/** Throws if the text was not wrapped with this secret. */
export function unwrapRing(wrapped: string, secret: Uint8Array): Keyring {
  const bytes = Buffer.from(wrapped, 'base64url')
  const decipher = createDecipheriv(
    'aes-256-gcm',
    derive(secret, 'keyring'),
    bytes.subarray(0, nonceBytes),
  ).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  const body = decipher.update(bytes.subarray(nonceBytes + tagBytes))
  const ring = parseJson(Buffer.concat([body, decipher.final()]).toString('utf8'))
  if (!isObject(ring) || !Array.isArray(ring['seal'])) throw new Error('the keyring is unreadable')
  const keys = (ring['seal'] as [string, string][]).map(([id, key]): [string, Uint8Array] => [
    id,
    Buffer.from(key, 'base64'),
  ])
  return {
    lookupKey: Buffer.from(String(ring['lookup']), 'base64'),
    sealKeys: new Map(keys),
    currentId: String(ring['current']),
  }
}
