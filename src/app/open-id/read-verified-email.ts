import type { JsonObject } from '../../wire/json.ts'

/**
 * The email in the claims, if the provider has verified it. Undefined: the claims do not state whether it is verified.
 * Microsoft Entra ID never sends `email_verified`; its `xms_edov` states that the owner of the domain is verified. An
 * explicit `email_verified` always decides.
 */
export function readVerifiedEmail(
  claims: JsonObject,
): { readonly email: string | undefined } | undefined {
  const { email, email_verified: isVerified, xms_edov: isOwnerVerified } = claims
  if (isVerified === undefined && isOwnerVerified === undefined) return undefined
  const isConfirmed =
    isVerified === undefined ? isTrueOfEntra(isOwnerVerified) : isVerified === true
  return { email: isConfirmed && isUsable(email) ? email : undefined }
}

/**
 * Addresses are compared in lower case. A letter such as the Kelvin sign becomes an ASCII letter there, so that the
 * address would be that of another mailbox. No database takes the character 0.
 */
function isUsable(email: unknown): email is string {
  if (typeof email !== 'string' || email.includes('\u0000')) return false
  const others = email.match(/\P{ASCII}/gu) ?? []
  return others.every((letter) => /\P{ASCII}/u.test(letter.toLowerCase()))
}

/** Entra ID has sent this claim as a truth value, as a number and as text. */
function isTrueOfEntra(claim: unknown): boolean {
  return claim === true || claim === 1 || claim === '1' || claim === 'true'
}
