import { parseAddressRange } from '../core/address-range.ts'
import type { Clock } from '../core/clock.ts'
import { ApiRefusal } from './refusal.ts'
import { type BucketLimits, TokenBuckets } from './token-buckets.ts'
import { type GateLimits, WorkGate } from './work-gate.ts'

/**
 * What guesses are bounded by. A stranger is bounded by the place that the guesses come from, and at each user once
 * more. All strangers together are bounded at each user too, so that guessing from many places is slow; their rate is
 * well above that of one place, so that one stranger cannot use it up. A browser that a user has signed in with before
 * is counted by itself, and nothing that strangers do keeps it out.
 */
const buckets = {
  perAddress: { burst: 20, refillMs: 6_000, namesMax: 20_000 },
  perPair: { burst: 10, refillMs: 120_000, namesMax: 50_000 },
  perUser: { burst: 50, refillMs: 30_000, namesMax: 20_000 },
  perDevice: { burst: 10, refillMs: 30_000, namesMax: 20_000 },
  /** All devices of a user together: somebody may have kept the cookies of many. */
  perUserDevices: { burst: 30, refillMs: 30_000, namesMax: 20_000 },
} satisfies Record<string, BucketLimits>

const gates = {
  /** Each hash takes 64 MB and a processor for a moment: a flood of guesses must leave the rest to requests. */
  hashing: { runningMax: 2, waitingMax: 16 },
  /** Each waits for the identity provider. */
  providing: { runningMax: 16, waitingMax: 16 },
} satisfies Record<string, GateLimits>

export const signInLimits = { ...buckets, ...gates }

export interface Guesser {
  readonly address: string
  /** The name of the user who is guessed at; undefined for a link, which names nobody. */
  readonly user?: string
  /** A device that has proved to be known to this user. */
  readonly device?: string | undefined
}

export interface SignInThrottle {
  /** Runs `check` if one more try is allowed, and refuses with 429 otherwise. What succeeds is not counted. */
  attempt<T>(who: Guesser, check: () => Promise<T | undefined>): Promise<T | undefined>
  /** Does the work when its turn has come, or refuses with 429 when too much is waiting already. */
  inTurn<T>(kind: keyof typeof gates, isKnown: boolean, work: () => Promise<T>): Promise<T>
}

export function createSignInThrottle(clock: Clock): SignInThrottle {
  const counts = {
    perAddress: new TokenBuckets(buckets.perAddress, clock),
    perPair: new TokenBuckets(buckets.perPair, clock),
    perUser: new TokenBuckets(buckets.perUser, clock),
    perDevice: new TokenBuckets(buckets.perDevice, clock),
    perUserDevices: new TokenBuckets(buckets.perUserDevices, clock),
  }
  const lines = {
    hashing: new WorkGate(gates.hashing),
    providing: new WorkGate(gates.providing),
  }
  const countsOf = ({ address, user, device }: Guesser): [TokenBuckets, string][] => {
    if (user !== undefined && device !== undefined) {
      return [
        [counts.perDevice, `${device} ${user}`],
        [counts.perUserDevices, user],
      ]
    }
    const network = networkOf(address)
    if (user === undefined) return [[counts.perAddress, network]]
    return [
      [counts.perAddress, network],
      [counts.perPair, `${network} ${user}`],
      [counts.perUser, user],
    ]
  }
  return {
    attempt: async (who, check) => {
      const taken = takeAll(countsOf(who))
      const giveBack = () => {
        for (const [bucket, name] of taken) bucket.giveBack(name)
      }
      try {
        const outcome = await check()
        if (outcome !== undefined) giveBack()
        return outcome
      } catch (error) {
        // Refused for want of room: nothing was tried.
        if (error instanceof ApiRefusal && error.code === 'too_many_tries') giveBack()
        throw error
      }
    },
    inTurn: async (kind, isKnown, work) => {
      const running = lines[kind].run(isKnown, work)
      if (running === undefined) throw new TooManyTries(1_000)
      return running
    },
  }
}

/** All or none: a try that one count refuses is not charged to the others. */
function takeAll(wanted: readonly [TokenBuckets, string][]): readonly [TokenBuckets, string][] {
  for (const [index, [bucket, name]] of wanted.entries()) {
    const waitMs = bucket.take(name)
    if (waitMs === 0) continue
    for (const [before, beforeName] of wanted.slice(0, index)) before.giveBack(beforeName)
    throw new Lockout(waitMs)
  }
  return wanted
}

class TooManyTries extends ApiRefusal {
  constructor(waitMs: number) {
    const seconds = Math.max(1, Math.ceil(waitMs / 1000))
    super('too_many_tries', `Too many sign-in attempts. Try again in ${seconds} s.`, {
      headers: { 'retry-after': String(seconds) },
    })
  }
}

/** So many tries have failed that no more are looked at for a while. */
export class Lockout extends TooManyTries {}

/** One IPv6 customer has 2^64 addresses, so there the network counts as the place. */
function networkOf(address: string): string {
  const range = address.includes(':') ? parseAddressRange(`${address}/64`) : undefined
  return range?.bits === 128 ? `network ${range.network}` : address
}
