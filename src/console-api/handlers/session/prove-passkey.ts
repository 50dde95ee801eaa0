import type { PasskeyAnswer } from '../../../accounts/definition/passkey.ts'
import {
  type ChallengeHolder,
  type ChallengePurpose,
  takeChallenge,
} from '../../../accounts/passkey-challenges.ts'
import { findPasskey, notePasskeyUse, type StoredPasskey } from '../../../accounts/passkey-store.ts'
import { challengeIn, isCounterStale, verifyAnswer } from '../../../accounts/verify-passkey.ts'
import type { SignInFailure } from '../../access/failed-sign-ins.ts'
import { Lockout, type SignInAttempt } from '../../access/sign-in-throttle.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { RouteCall } from '../../routes/route.ts'
import { needParty } from './passkey-question.ts'
import { deviceOf } from './prove-identity.ts'
import { throttleName } from './throttle-name.ts'

interface Asked {
  readonly purpose: ChallengePurpose
  /** Undefined: the browser has no challenge, so every answer is refused. */
  readonly holder: ChallengeHolder | undefined
  /** The user who must have the passkey, and the session of this user; absent: any user. */
  readonly by?: { readonly userId: string; readonly sessionId: string }
}

/**
 * The passkey that answered a challenge of this gateway. Attempts are limited and recorded as those with a password.
 * The refusal is the same whatever is wrong, so that it does not reveal which passkeys and users exist.
 */
export async function provePasskey(
  call: RouteCall,
  answer: PasskeyAnswer,
  asked: Asked,
): Promise<StoredPasskey> {
  const { deps, throttle, failures, context } = call
  const credential = { credentialId: answer.id, rpId: needParty(call).id }
  const passkey = await findPasskey(deps.engine.db, credential)
  const attempt = await attemptOf(call, passkey, asked)
  const note = async (failure: SignInFailure) => {
    const { address, requestId } = context
    const { by } = asked
    const claimed = by ? { userId: by.userId } : { subject: passkey?.userId ?? address }
    const name = attempt.user ?? `passkey ${address}`
    await failures.note({ claimed, name, failure, address }, requestId)
  }
  let failure: SignInFailure = 'passkey'
  const proven = await throttle
    .attempt(attempt, async () => {
      const outcome = await checkPasskey(call, answer, { ...asked, passkey })
      if (typeof outcome !== 'string') return outcome
      failure = outcome
      return undefined
    })
    .catch(async (error: unknown) => {
      if (error instanceof Lockout) await note('locked')
      throw error
    })
  if (proven) return proven
  await note(failure)
  throw wrongPasskey()
}

export function wrongPasskey(): ApiRefusal {
  return new ApiRefusal(
    'wrong_credentials',
    'The passkey was not accepted. Try again, or sign in another way.',
  )
}

async function checkPasskey(
  { deps }: RouteCall,
  answer: PasskeyAnswer,
  { purpose, holder, by, passkey }: Asked & { readonly passkey: StoredPasskey | undefined },
): Promise<StoredPasskey | SignInFailure> {
  const { engine, vault, clock, relyingParty: party } = deps
  const nowMs = clock.nowMs()
  const challenge = challengeIn(answer.clientDataJSON)
  if (!party || !holder || challenge === undefined) return 'passkey'
  // The challenge is used up even if the rest is wrong.
  if (!(await takeChallenge(engine, { vault, nowMs }, { challenge, purpose, holder }))) {
    return 'passkey'
  }
  if (!passkey || !isOfUser(passkey, answer, by?.userId)) return 'passkey'
  const newCounter = await verifyAnswer(answer, passkey, { party, challenge })
  if (newCounter === undefined) return 'passkey'
  if (passkey.isSuspended) return 'login-disabled'
  if (isCounterStale(passkey, newCounter)) return 'passkey-counter'
  const isNoted = await notePasskeyUse(engine.db, passkey, { newCounter, nowMs })
  return isNoted ? passkey : 'passkey'
}

/** The answer names the user of the passkey, except when the gateway has asked for this passkey. */
function isOfUser(
  { userId }: StoredPasskey,
  { userHandle }: PasskeyAnswer,
  expected: string | undefined,
): boolean {
  if (userHandle === undefined) return userId === expected
  const named = Buffer.from(userHandle, 'base64url').toString('utf8')
  return named === userId && userId === (expected ?? userId)
}

async function attemptOf(
  call: RouteCall,
  passkey: StoredPasskey | undefined,
  { by }: Asked,
): Promise<SignInAttempt> {
  const { address } = call.context
  const { session } = call
  // A session counts as a known device, so that attempts from elsewhere cannot lock it out.
  if (by && session) return { address, user: throttleName(session), device: by.sessionId }
  if (!passkey) return { address }
  const device = await deviceOf(call, { userId: passkey.userId })
  return { address, user: throttleName(passkey), device }
}
