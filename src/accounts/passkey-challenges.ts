import type { RandomBytes } from '../core/id.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'

const challengeBytes = 32
/** Also the time that a browser waits for the person. */
export const challengeLifetimeMs = 5 * 60_000
/** Open challenges of visitors who are not signed in. When there are more, the oldest are dropped. */
export const openChallengesMax = 10_000

/** The purpose of an answer to the challenge. A challenge for one purpose is not valid for another. */
export type ChallengePurpose = 'sign-in' | 'confirm' | 'add'

/** The holder of the challenge, who may answer it: the browser with this cookie, or this session. */
export type ChallengeHolder = { readonly browser: string } | { readonly session: string }

interface ChallengeFor {
  readonly purpose: ChallengePurpose
  readonly holder: ChallengeHolder
}

/** Creates a challenge that its holder can use once. An earlier one of the same holder and purpose ends. */
export async function addChallenge(
  { db }: Engine,
  { vault, random, nowMs }: { vault: Vault; random: RandomBytes; nowMs: number },
  { purpose, holder }: ChallengeFor,
): Promise<string> {
  const challenge = Buffer.from(random(challengeBytes)).toString('base64url')
  const holderHash = hashHolder(vault, holder)
  await db
    .deleteFrom('passkey_challenge')
    .where(({ or, and, eb }) =>
      or([
        eb('expires_at', '<=', nowMs),
        and([eb('holder_hash', '=', holderHash), eb('purpose', '=', purpose)]),
      ]),
    )
    .execute()
  await db
    .insertInto('passkey_challenge')
    .values({
      challenge_hash: hashChallenge(vault, challenge),
      purpose,
      holder_hash: holderHash,
      expires_at: nowMs + challengeLifetimeMs,
    })
    .execute()
  if (purpose === 'sign-in') await dropOldest(db)
  return challenge
}

async function dropOldest(db: Engine['db']): Promise<void> {
  const first = db
    .selectFrom('passkey_challenge')
    .select('expires_at')
    .where('purpose', '=', 'sign-in')
    .orderBy('expires_at', 'desc')
    .limit(1)
    .offset(openChallengesMax)
  await db
    .deleteFrom('passkey_challenge')
    .where('purpose', '=', 'sign-in')
    .where('expires_at', '<=', first)
    .execute()
}

/** Whether the holder may use the challenge now. It is deleted, so of two simultaneous uses only one succeeds. */
export async function takeChallenge(
  { db }: Engine,
  { vault, nowMs }: { vault: Vault; nowMs: number },
  { challenge, purpose, holder }: ChallengeFor & { readonly challenge: string },
): Promise<boolean> {
  const taken = await db
    .deleteFrom('passkey_challenge')
    .where('challenge_hash', '=', hashChallenge(vault, challenge))
    .where('holder_hash', '=', hashHolder(vault, holder))
    .where('purpose', '=', purpose)
    .returning('expires_at')
    .executeTakeFirst()
  return taken !== undefined && taken.expires_at > nowMs
}

function hashChallenge(vault: Vault, challenge: string): string {
  return vault.lookupHash(`passkey challenge ${challenge}`)
}

function hashHolder(vault: Vault, holder: ChallengeHolder): string {
  return 'browser' in holder
    ? vault.lookupHash(`passkey browser ${holder.browser}`)
    : vault.lookupHash(`passkey session ${holder.session}`)
}
