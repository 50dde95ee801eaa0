import { isObject, parseJson, stringAt } from '../wire/json.ts'
import type { NewPasskey, PasskeyAnswer } from './definition/passkey.ts'
import type { StoredPasskey, VerifiedPasskey } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'

/** ES256, EdDSA and RS256: one of these is in every authenticator. */
export const passkeyAlgorithms = [-7, -8, -257] as const

/** A COSE key is shorter: RSA with 4096 bits has about 540 bytes. */
const publicKeyBytesMax = 2_000

interface Expected {
  readonly party: RelyingParty
  /** The challenge from the client data. `takeChallenge` decides whether it may be used. */
  readonly challenge: string
}

/** The challenge that a browser claims to answer; undefined if the data cannot be read or come from a frame. */
export function challengeIn(clientDataJSON: string): string | undefined {
  const data = parseJson(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
  if (!isObject(data) || data['crossOrigin'] === true) return undefined
  return stringAt(data, 'challenge')
}

/**
 * Checks a new passkey. The attestation, which says which device made the passkey, is dropped before the check: the
 * gateway does not ask for it, and its certificates would be one more thing to parse.
 */
export async function verifyNewPasskey(
  { clientDataJSON, attestationObject }: Pick<NewPasskey, 'clientDataJSON' | 'attestationObject'>,
  { party, challenge }: Expected,
): Promise<VerifiedPasskey | undefined> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoCBOR }] = await loadParts()
  try {
    const sent = decodeAttestationObject(Buffer.from(attestationObject, 'base64url'))
    const parts: [string, string | Uint8Array | Map<string, string>][] = [
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', sent.get('authData')],
    ]
    const bare = isoCBOR.encode(new Map(parts))
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: 'unused',
        rawId: 'unused',
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject: Buffer.from(bare).toString('base64url') },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    })
    const credential = registrationInfo?.credential
    if (!credential || credential.publicKey.length > publicKeyBytesMax) return undefined
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
    }
  } catch {
    // The library throws for every invalid answer, and parsers of bytes may throw any error.
    return undefined
  }
}

/** The new signature counter if the passkey has signed the challenge for this console and verified its user. */
export async function verifyAnswer(
  { clientDataJSON, authenticatorData, signature }: PasskeyAnswer,
  { credentialId: id, publicKey }: StoredPasskey,
  { party, challenge }: Expected,
): Promise<number | undefined> {
  const [{ verifyAuthenticationResponse }] = await loadParts()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      // The caller compares the counter, because the audit log names this failure.
      credential: {
        id,
        publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        counter: 0,
      },
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}

/** A copy of the passkey may exist if the counter does not grow. Authenticators that do not count send 0. */
export function isCounterStale({ counter }: StoredPasskey, newCounter: number): boolean {
  return (counter > 0 || newCounter > 0) && newCounter <= counter
}

/** Loaded with the first passkey: a gateway without passkeys does not spend the memory. */
function loadParts() {
  return Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')])
}
