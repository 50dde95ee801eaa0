import type { RandomBytes } from '../core/id.ts'
import { isMintedValue, type MintedKind, mintValue } from '../store/secrets/minted-value.ts'
import type { Vault } from '../store/secrets/vault.ts'

/** The prefix differs from that of an API key, so that people and secret scanners recognise a token. */
const tokenValues: MintedKind = { prefix: 'tgat_', salt: 'tollgate admin token' }

export function mintTokenValue(random: RandomBytes): string {
  return mintValue(tokenValues, random)
}

/** Whether the checksum of a value is right: any other value is rejected without a look-up. */
export function isTokenValue(value: string): boolean {
  return isMintedValue(tokenValues, value)
}

/** The part of the value that lists may show. */
export function tokenHint(value: string): string {
  return `${tokenValues.prefix}…${value.slice(-4)}`
}

export function hashTokenValue(vault: Vault, value: string): string {
  return vault.lookupHash(`admin token ${value}`)
}

const actorPrefix = 'token:'

/** The token as an actor in the audit log. */
export function actorOfToken(id: string): string {
  return actorPrefix + id
}

/** The id of the token behind an actor of the audit log; undefined for any other actor. */
export function tokenOfActor(actor: string): string | undefined {
  return actor.startsWith(actorPrefix) ? actor.slice(actorPrefix.length) : undefined
}
