import {
  addChallenge,
  type ChallengeHolder,
  type ChallengePurpose,
  challengeLifetimeMs,
} from '../../../accounts/passkey-challenges.ts'
import type { PasskeyListing } from '../../../accounts/passkey-store.ts'
import type { RelyingParty } from '../../../accounts/relying-party.ts'
import type { PasskeyQuestion } from '../../contract.ts'
import { refuse } from '../../refusal.ts'
import type { RouteCall } from '../../routes/route.ts'

export function needParty({ deps }: RouteCall): RelyingParty {
  if (!deps.relyingParty) throw refuse('conflict', 'passkeys_off')
  return deps.relyingParty
}

export function newChallenge(
  { deps }: RouteCall,
  purpose: ChallengePurpose,
  holder: ChallengeHolder,
): Promise<string> {
  const { engine, vault, random, clock } = deps
  return addChallenge(engine, { vault, random, nowMs: clock.nowMs() }, { purpose, holder })
}

/** Asks a browser for one of these passkeys, or for any if the list is empty. */
export async function passkeyQuestion(
  call: RouteCall,
  purpose: ChallengePurpose,
  { holder, passkeys }: { holder: ChallengeHolder; passkeys: readonly PasskeyListing[] },
): Promise<PasskeyQuestion> {
  const { id: rpId } = needParty(call)
  return {
    challenge: await newChallenge(call, purpose, holder),
    rpId,
    timeout: challengeLifetimeMs,
    userVerification: 'required',
    allowCredentials: passkeys.filter((each) => each.rpId === rpId).map(describeCredential),
  }
}

export function describeCredential({ credentialId, transports }: PasskeyListing) {
  return { type: 'public-key', id: credentialId, transports } as const
}
