import { mintSignInLink } from '../../accounts/sign-in-link.ts'
import { adminHasSignInWay, type SignInOffer } from '../../accounts/sign-in-ways.ts'
import type { RandomBytes } from '../../core/id.ts'
import type { Engine } from '../../store/engine.ts'
import type { Vault } from '../../store/secrets/vault.ts'

/** A one-time sign-in link, only while no administrator has another way in: later it would only leak into logs. */
export async function makeSignInUrl(
  parts: { engine: Engine; vault: Vault; random: RandomBytes; nowMs: number },
  userId: string,
  { baseUrl, ...offer }: SignInOffer & { readonly baseUrl: string },
): Promise<string | undefined> {
  if (await adminHasSignInWay(parts.engine.db, offer)) return undefined
  const token = await mintSignInLink(parts.engine, {
    userId,
    vault: parts.vault,
    random: parts.random,
    nowMs: parts.nowMs,
  })
  return signInUrl(baseUrl, token)
}

/** The token is in the fragment, which browsers do not send, so it is in no access log. */
export function signInUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/console/sign-in#${token}`
}
