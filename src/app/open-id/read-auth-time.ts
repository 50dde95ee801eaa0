import { sessionLifetimeMs } from '../../accounts/session-store.ts'
import { OpenIdRefused } from '../../console-api/ports/open-id-provider.ts'

/** The clocks of the provider and of this machine may differ by this. */
const skewMs = 30_000

/**
 * What the gateway asks of the provider. `max_age` makes the provider say when the person signed in; 0 and `login` make
 * it ask the person to sign in again.
 */
export function ageParameters(isFresh: boolean): Record<string, string> {
  return isFresh
    ? { prompt: 'login', max_age: '0' }
    : { max_age: String(Math.floor(sessionLifetimeMs / 1_000)) }
}

/**
 * When the person signed in at the provider, from the claim `auth_time`; 0 if the provider does not say. Refused if it
 * was before `freshFromMs`: an old session at the provider proves nothing about who is at the browser now.
 */
export function readAuthTime(
  claim: unknown,
  freshFromMs: number | undefined,
  nowMs: number,
): number {
  const claimedMs = typeof claim === 'number' && claim > 0 ? claim * 1_000 : 0
  const atMs = claimedMs > nowMs + skewMs ? 0 : Math.min(claimedMs, nowMs)
  if (freshFromMs === undefined || atMs >= freshFromMs - skewMs) return atMs
  throw new OpenIdRefused(
    'open-id-stale',
    'the identity provider does not say, with auth_time, that the person has signed in again',
  )
}
