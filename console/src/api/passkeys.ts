import type { BodyOf, PasskeyCreation, PasskeyQuestion } from '../../../src/console-api/contract.ts'

/** The browser did not use a passkey; `known` if the device already has one for this user. */
export class PasskeyUnused extends Error {
  override readonly name = 'PasskeyUnused'
  readonly reason: 'cancelled' | 'known'

  constructor(reason: PasskeyUnused['reason'], cause: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/** Whether passkeys work on this page: a browser that has them, at the origin that they are bound to. */
export function canUsePasskeys(origin: string | null | undefined): boolean {
  return origin === window.location.origin && hasPasskeys()
}

export function hasPasskeys(): boolean {
  return typeof window.PublicKeyCredential === 'function'
}

/** Asks the person for a passkey. */
export async function answerWithPasskey(
  question: PasskeyQuestion,
): Promise<BodyOf<'POST /sign-in/passkey'>> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const { id, response } = await startAuthentication({ optionsJSON: mutable(question) }).catch(fail)
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return {
    id,
    clientDataJSON,
    authenticatorData,
    signature,
    ...(userHandle !== undefined && userHandle !== '' && { userHandle }),
  }
}

/** Asks the person to create a passkey. */
export async function createPasskey(
  options: PasskeyCreation,
): Promise<Omit<BodyOf<'POST /passkeys'>, 'name'>> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const { response } = await startRegistration({ optionsJSON: mutable(options) }).catch(fail)
  const { clientDataJSON, attestationObject, transports = [] } = response
  return { clientDataJSON, attestationObject, transports }
}

/** The library wants lists that it could change, and its own words for transports. */
function mutable(options: object): never {
  return options as never
}

function fail(error: unknown): never {
  const isKnown = error instanceof Error && error.name === 'InvalidStateError'
  throw new PasskeyUnused(isKnown ? 'known' : 'cancelled', error)
}
