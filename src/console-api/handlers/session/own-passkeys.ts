import { passkeysMax } from '../../../accounts/definition/passkey.ts'
import { challengeLifetimeMs, takeChallenge } from '../../../accounts/passkey-challenges.ts'
import {
  addPasskey,
  isCredentialKnown,
  listPasskeys,
  type PasskeyListing,
  removePasskey,
  renamePasskey,
} from '../../../accounts/passkey-store.ts'
import { closeOtherSessions } from '../../../accounts/session-store.ts'
import {
  challengeIn,
  passkeyAlgorithms,
  verifyNewPasskey,
} from '../../../accounts/verify-passkey.ts'
import type { Engine } from '../../../store/engine.ts'
import { change } from '../../changes/change.ts'
import type { PasskeyCreation, PasskeysAnswer } from '../../contract.ts'
import { mailNotice } from '../../mail/mail-notice.ts'
import { ApiRefusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { canSignIn } from './can-sign-in.ts'
import { describeCredential, needParty, newChallenge } from './passkey-question.ts'
import { refuseProviderUser } from './refuse-provider-user.ts'

const consoleName = 'Tollgate'

export async function readPasskeys(call: SignedInCall): Promise<JsonAnswer<PasskeysAnswer>> {
  return { body: await describePasskeys(call) }
}

/** Only a session with a recent sign-in gets a challenge, so the answer needs no other proof. */
export async function beginPasskey(call: SignedInCall): Promise<JsonAnswer<PasskeyCreation>> {
  const { deps, session } = call
  refuseProviderUser(call)
  const { id } = needParty(call)
  const known = await listPasskeys(deps.engine.db, session.userId)
  checkRoom(known)
  const { email, userId } = session
  const user = { id: Buffer.from(userId).toString('base64url'), name: email, displayName: email }
  return {
    body: {
      challenge: await newChallenge(call, 'add', { session: session.tokenHash }),
      rp: { id, name: consoleName },
      user,
      pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
      timeout: challengeLifetimeMs,
      excludeCredentials: known.filter(({ rpId }) => rpId === id).map(describeCredential),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    },
  }
}

export async function finishPasskey(
  call: CallOf<'POST /passkeys'>,
): Promise<JsonAnswer<PasskeysAnswer>> {
  const { deps, session } = call
  const { engine, vault, random, clock } = deps
  refuseProviderUser(call)
  const party = needParty(call)
  const { name, transports, ...sent } = await call.body()
  const challenge = challengeIn(sent.clientDataJSON)
  if (challenge === undefined) throw refuse('invalid_request', 'passkey_wrong')
  const asked = { challenge, purpose: 'add', holder: { session: session.tokenHash } } as const
  const isAsked = await takeChallenge(engine, { vault, nowMs: clock.nowMs() }, asked)
  const verified = isAsked ? await verifyNewPasskey(sent, { party, challenge }) : undefined
  if (!verified) throw refuse('invalid_request', 'passkey_wrong')
  await change(call, async ({ tx, nowMs, record }) => {
    const { userId } = session
    checkRoom(await listPasskeys(tx, userId))
    if (await isCredentialKnown(tx, verified.credentialId))
      throw refuse('conflict', 'passkey_taken')
    const passkey = { ...verified, userId, name, rpId: party.id, transports }
    await addPasskey(tx, { random, nowMs }, passkey)
    await closeOtherSessions(tx, session)
    await record({ action: 'user.passkey-added', subject: userId, after: { name } })
    await mailNotice(call, { tx }, userId, 'passkey-added')
  })
  return { body: await describePasskeys(call) }
}

export async function editPasskey(
  call: CallOf<'PATCH /passkeys/{id}'>,
): Promise<JsonAnswer<PasskeysAnswer>> {
  const { name } = await call.body()
  const { userId } = call.session
  await change(call, async ({ tx, record }) => {
    const passkey = await ownPasskeyOf(tx, call)
    await renamePasskey(tx, passkey.id, name)
    const [before, after] = [{ name: passkey.name }, { name }]
    await record({ action: 'user.passkey-renamed', subject: userId, before, after })
  })
  return { body: await describePasskeys(call) }
}

export async function endPasskey(call: SignedInCall): Promise<JsonAnswer<PasskeysAnswer>> {
  const { userId } = call.session
  await change(call, async ({ tx, record }) => {
    const { id, name } = await ownPasskeyOf(tx, call)
    await removePasskey(tx, id)
    if (!(await canSignIn(tx, call.deps, userId))) throw refuse('in_use', 'passkey_last')
    await closeOtherSessions(tx, call.session)
    await record({ action: 'user.passkey-removed', subject: userId, before: { name } })
    await mailNotice(call, { tx }, userId, 'passkey-removed')
  })
  return { body: await describePasskeys(call) }
}

async function ownPasskeyOf(
  db: Engine['db'],
  { id, session }: SignedInCall | CallOf<'PATCH /passkeys/{id}'>,
): Promise<PasskeyListing> {
  const passkey = (await listPasskeys(db, session.userId)).find((each) => each.id === id)
  if (!passkey) throw new ApiRefusal('not_found', 'This passkey does not exist.')
  return passkey
}

function checkRoom(passkeys: readonly PasskeyListing[]): void {
  if (passkeys.length < passkeysMax) return
  throw refuse('conflict', 'passkeys_many', { values: { max: passkeysMax } })
}

async function describePasskeys({
  deps,
  session,
}: Pick<SignedInCall, 'deps' | 'session'>): Promise<PasskeysAnswer> {
  const passkeys = await listPasskeys(deps.engine.db, session.userId)
  return {
    passkeys: passkeys.map(({ id, name, rpId, createdAtMs, usedAtMs }) => ({
      id,
      name,
      host: rpId,
      createdAt: createdAtMs,
      usedAt: usedAtMs,
    })),
  }
}
