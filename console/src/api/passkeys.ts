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

type PasskeyAnswer = BodyOf<'POST /sign-in/passkey'>

/**
 * Asks the person for a passkey. As an offer, the passkey is one of the suggestions of the email field, until the
 * person picks it.
 */
export async function answerWithPasskey(
  question: PasskeyQuestion,
  { isOffer = false }: { readonly isOffer?: boolean } = {},
): Promise<PasskeyAnswer> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const { id, response } = await startAuthentication({
    optionsJSON: mutable(question),
    useBrowserAutofill: isOffer,
  }).catch(fail)
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return {
    id,
    clientDataJSON,
    authenticatorData,
    signature,
    ...(userHandle !== undefined && userHandle !== '' && { userHandle }),
  }
}

export interface PasskeyOffer {
  /** Withdraws the offer, so that the browser can ask for a passkey in another way. */
  stop(): void
}

/**
 * Lets the browser offer passkeys in the field with `autocomplete="username webauthn"`, if it can. Failures are silent:
 * the person has not asked for anything.
 */
export function offerPasskeys(
  ask: () => Promise<PasskeyQuestion>,
  onAnswer: (answer: PasskeyAnswer) => void,
): PasskeyOffer {
  let isOver = false
  let cancel = () => {}
  const run = async () => {
    const { browserSupportsWebAuthnAutofill, WebAuthnAbortService } = await import(
      '@simplewebauthn/browser'
    )
    if (!(await browserSupportsWebAuthnAutofill()) || isOver) return
    const question = await ask()
    if (isOver) return
    cancel = () => WebAuthnAbortService.cancelCeremony()
    const answer = await answerWithPasskey(question, { isOffer: true })
    if (isOver) return
    isOver = true
    onAnswer(answer)
  }
  run().catch(() => {
    isOver = true
  })
  return {
    stop: () => {
      if (isOver) return
      isOver = true
      cancel()
    },
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

/** The library expects mutable lists and its own type for transports. */
function mutable(options: object): never {
  return options as never
}

function fail(error: unknown): never {
  const isKnown = error instanceof Error && error.name === 'InvalidStateError'
  throw new PasskeyUnused(isKnown ? 'known' : 'cancelled', error)
}
