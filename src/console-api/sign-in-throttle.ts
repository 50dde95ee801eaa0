import { parseAddressRange } from '../core/address-range.ts'
import type { Clock } from '../core/clock.ts'
import { Refusal } from './refusal.ts'
import { TokenBuckets } from './token-buckets.ts'

/** Guessing is slowed down twice: per place that guesses, and per email that is guessed at. */
export const signInLimits = {
  perAddress: { burst: 20, refillMs: 6_000, namesMax: 20_000 },
  perEmail: { burst: 10, refillMs: 30_000, namesMax: 20_000 },
  /** Each check of a password takes 64 MB for a moment, so they are not all made at once. */
  checksAtOnceMax: 4,
}

export interface SignInThrottle {
  /** Runs `check` if one more try is allowed, and refuses with 429 otherwise. What succeeds is not counted. */
  attempt<T>(
    who: { readonly address: string; readonly email?: string },
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined>
}

export function createSignInThrottle(clock: Clock): SignInThrottle {
  const addresses = new TokenBuckets(signInLimits.perAddress, clock)
  const emails = new TokenBuckets(signInLimits.perEmail, clock)
  let checksRunning = 0
  return {
    attempt: async ({ address, email }, check) => {
      const network = networkOf(address)
      if (checksRunning >= signInLimits.checksAtOnceMax) throw tooManyTries(1_000)
      refuseUnlessZero(addresses.take(network))
      if (email !== undefined) refuseUnlessZero(emails.take(email))
      checksRunning += 1
      try {
        const outcome = await check()
        if (outcome !== undefined) {
          addresses.giveBack(network)
          if (email !== undefined) emails.giveBack(email)
        }
        return outcome
      } finally {
        checksRunning -= 1
      }
    },
  }
}

function refuseUnlessZero(waitMs: number): void {
  if (waitMs > 0) throw tooManyTries(waitMs)
}

function tooManyTries(waitMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const message = `Too many tries to sign in. Try again in ${seconds} s.`
  return new Refusal('too_many_tries', message, {
    headers: { 'retry-after': String(seconds) },
  })
}

/** One IPv6 customer has 2^64 addresses, so there the network counts as the place. */
function networkOf(address: string): string {
  const range = address.includes(':') ? parseAddressRange(`${address}/64`) : undefined
  return range?.bits === 128 ? `network ${range.network}` : address
}
