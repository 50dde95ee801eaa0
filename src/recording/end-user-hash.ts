import type { Vault } from '../store/secrets/vault.ts'
import { endUserCharactersMax } from './definition/end-user.ts'

/** The database finds the recordings of an end user without containing the id, which may be a name or an address. */
export function endUserHash(vault: Vault, accountId: string, endUser: string): string {
  return vault.lookupHash(`end-user\0${accountId}\0${cutEndUser(endUser)}`)
}

/** The part of a long id that is stored, and by which its recordings are found. */
export function cutEndUser(endUser: string): string {
  return endUser.slice(0, endUserCharactersMax)
}
