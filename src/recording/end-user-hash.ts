import type { Vault } from '../store/secrets/vault.ts'

/** The database finds the recordings of an end user without containing the id, which may be a name or an address. */
export function endUserHash(vault: Vault, accountId: string, endUser: string): string {
  return vault.lookupHash(`end-user\0${accountId}\0${endUser}`)
}
