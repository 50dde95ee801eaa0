import type { RandomBytes } from '../core/id.ts'
import { isMintedValue, type MintedKind, mintValue } from '../store/minted-value.ts'
import type { Vault } from '../store/vault.ts'

/** Other than that of an API key, so that a value tells what it is, and secret scanners find it. */
const tokenValues: MintedKind = { prefix: 'tgat_', salt: 'tollgate admin token' }

export function mintTokenValue(random: RandomBytes): string {
  return mintValue(tokenValues, random)
}

/** Whether a value is whole and untouched: any other is refused without a look-up. */
export function isTokenValue(value: string): boolean {
  return isMintedValue(tokenValues, value)
}

/** What may be shown in a list. */
export function tokenHint(value: string): string {
  return `${tokenValues.prefix}…${value.slice(-4)}`
}

export function hashTokenValue(vault: Vault, value: string): string {
  return vault.lookupHash(`admin token ${value}`)
}

const actorPrefix = 'token:'

/** How a token stands in the audit log. */
export function actorOfToken(id: string): string {
  return actorPrefix + id
}

/** The id of the token that an actor of the audit log is; undefined when it is somebody else. */
export function tokenOfActor(actor: string): string | undefined {
  return actor.startsWith(actorPrefix) ? actor.slice(actorPrefix.length) : undefined
}
