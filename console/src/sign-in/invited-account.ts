import type { SignedInUser } from '../../../src/console-api/contract.ts'

const name = 'tollgate-invited-to'

/**
 * Remembers in this browser that an invited user signs in with the inviting account: without it, the password of the
 * user is wrong.
 */
export function rememberInvited({ invitedTo }: Pick<SignedInUser, 'invitedTo'>): void {
  if (invitedTo === null) forgetInvited()
  else localStorage.setItem(name, invitedTo)
}

export function rememberedAccount(): string | undefined {
  return localStorage.getItem(name) ?? undefined
}

export function forgetInvited(): void {
  localStorage.removeItem(name)
}

/** The URL at which an invited user signs in with a password. */
export function invitedSignInUrl(account: string): string {
  return `${window.location.origin}/console/sign-in?account=${encodeURIComponent(account)}`
}
