import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign as signBytes,
} from 'node:crypto'

/*
 * An authenticator in software, for tests: real keys, real signatures, real CBOR. Each option makes one part of its
 * answer wrong, like a broken or hostile client.
 */

export type PasskeyAlgorithm = 'ES256' | 'RS256' | 'EdDSA'

export interface AuthenticatorFaults {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly isUserVerified?: boolean
  readonly isUserPresent?: boolean
  readonly counter?: number
  readonly isCrossOrigin?: boolean
  readonly userHandle?: string | null
  readonly algorithm?: number
  /** Another attestation format than `none`. */
  readonly format?: string
}

export interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
}

export interface RequestOptions {
  readonly challenge: string
  readonly rpId: string
}

export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32).toString('base64url')
  readonly origin: string
  counter = 0
  /** How much the counter grows; 0 for an authenticator that does not count. */
  step = 1
  #userHandle = ''
  readonly #algorithm: PasskeyAlgorithm
  readonly #privateKey: KeyObject
  readonly #coseKey: Buffer

  constructor(origin: string, algorithm: PasskeyAlgorithm = 'ES256') {
    this.origin = origin
    this.#algorithm = algorithm
    const { privateKey, publicKey } = newKeys(algorithm)
    this.#privateKey = privateKey
    this.#coseKey = coseKeyOf(algorithm, publicKey)
  }

  /** The data that the browser sends to add the passkey. */
  create(options: CreationOptions, faults: AuthenticatorFaults = {}) {
    this.#userHandle = options.user.id
    const clientData = this.#clientData('webauthn.create', options.challenge, faults)
    const authData = Buffer.concat([
      this.#authData(options.rp.id, { ...faults, hasKey: true }),
      Buffer.alloc(16),
      uint16(32),
      Buffer.from(this.credentialId, 'base64url'),
      faults.algorithm === undefined
        ? this.#coseKey
        : withAlgorithm(this.#coseKey, faults.algorithm),
    ])
    const attestationObject = cborMap([
      ['fmt', cborText(faults.format ?? 'none')],
      [
        'attStmt',
        faults.format === undefined ? cborMap([]) : cborMap([['x5c', cborBytes(authData)]]),
      ],
      ['authData', cborBytes(authData)],
    ])
    return {
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    }
  }

  /** The data that the browser sends to sign in. */
  get(options: RequestOptions, faults: AuthenticatorFaults = {}) {
    this.counter += this.step
    const clientData = this.#clientData('webauthn.get', options.challenge, faults)
    const authData = this.#authData(options.rpId, faults)
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()])
    const hash = this.#algorithm === 'EdDSA' ? null : 'sha256'
    const userHandle = faults.userHandle === undefined ? this.#userHandle : faults.userHandle
    return {
      id: this.credentialId,
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signBytes(hash, signed, this.#privateKey).toString('base64url'),
      ...(userHandle !== null && { userHandle }),
    }
  }

  #clientData(type: string, challenge: string, faults: AuthenticatorFaults): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: faults.type ?? type,
        challenge: faults.challenge ?? challenge,
        origin: faults.origin ?? this.origin,
        crossOrigin: faults.isCrossOrigin ?? false,
      }),
    )
  }

  #authData(rpId: string, faults: AuthenticatorFaults & { readonly hasKey?: boolean }): Buffer {
    const isPresent = faults.isUserPresent ?? true
    const isVerified = faults.isUserVerified ?? true
    const flags = (isPresent ? 1 : 0) | (isVerified ? 4 : 0) | (faults.hasKey ? 0x40 : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(faults.counter ?? this.counter)
    const host = createHash('sha256')
      .update(faults.rpId ?? rpId)
      .digest()
    return Buffer.concat([host, Buffer.from([flags]), counter])
  }
}

function newKeys(algorithm: PasskeyAlgorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

function coseKeyOf(algorithm: PasskeyAlgorithm, key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' })
  const part = (text: string | undefined) => cborBytes(Buffer.from(text ?? '', 'base64url'))
  if (algorithm === 'ES256') {
    return cborMap([
      [1, cborNumber(2)],
      [3, cborNumber(-7)],
      [-1, cborNumber(1)],
      [-2, part(jwk.x)],
      [-3, part(jwk.y)],
    ])
  }
  if (algorithm === 'EdDSA') {
    return cborMap([
      [1, cborNumber(1)],
      [3, cborNumber(-8)],
      [-1, cborNumber(6)],
      [-2, part(jwk.x)],
    ])
  }
  return cborMap([
    [1, cborNumber(3)],
    [3, cborNumber(-257)],
    [-1, part(jwk.n)],
    [-2, part(jwk.e)],
  ])
}

/** The algorithm is the second pair of the map: three bytes after the head for -257, one byte otherwise. */
function withAlgorithm(coseKey: Buffer, algorithm: number): Buffer {
  const end = coseKey[4] === 0x39 ? 7 : 5
  return Buffer.concat([coseKey.subarray(0, 4), cborNumber(algorithm), coseKey.subarray(end)])
}

function cborHead(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count])
  if (count < 256) return Buffer.from([(major << 5) | 24, count])
  return Buffer.concat([Buffer.from([(major << 5) | 25]), uint16(count)])
}

function cborNumber(value: number): Buffer {
  return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)])
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes])
}

function cborMap(pairs: readonly [key: string | number, value: Buffer][]): Buffer {
  const written = pairs.flatMap(([key, value]) => [
    typeof key === 'string' ? cborText(key) : cborNumber(key),
    value,
  ])
  return Buffer.concat([cborHead(5, pairs.length), ...written])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
