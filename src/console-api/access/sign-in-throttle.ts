import { membersMax } from '../../accounts/member-store.ts'
import { parseAddressRange } from '../../core/access/address-range.ts'
import type { Clock } from '../../core/time/clock.ts'
import { ApiRefusal } from '../refusal.ts'
import { type BucketLimits, TokenBuckets } from './token-buckets.ts'
import { type GateLimits, WorkGate } from './work-gate.ts'

/**
 * Limits of sign-in attempts. An unknown client is limited by its address or IPv6 network, and again per user. All
 * unknown clients together are limited per user, so that guessing from many networks is slow; this limit is well above
 * that of one network, so that one client cannot use it up. A browser that a user has signed in with before has its own
 * limit, and other clients cannot lock it out.
 */
const buckets = {
  perAddress: { burst: 20, refillMs: 6_000, namesMax: 20_000 },
  /**
   * Returns from the identity provider, which carry nothing that can be guessed. A team behind one address may come back
   * together.
   */
  returnsPerAddress: { burst: 200, refillMs: 1_000, namesMax: 20_000 },
  perPair: { burst: 10, refillMs: 120_000, namesMax: 50_000 },
  perUser: { burst: 50, refillMs: 30_000, namesMax: 20_000 },
  perDevice: { burst: 10, refillMs: 30_000, namesMax: 20_000 },
  /** All known devices of a user together: an attacker may have collected many cookies. */
  perUserDevices: { burst: 30, refillMs: 30_000, namesMax: 20_000 },
  /** Requests for a password reset. A stranger must not fill the mailbox of a person. */
  resetsPerAddress: { burst: 10, refillMs: 60_000, namesMax: 20_000 },
  resetsPerUser: { burst: 3, refillMs: 1_200_000, namesMax: 20_000 },
  /** Challenges of passkey sign-ins, each of which is a row in the database. */
  challengesPerAddress: { burst: 30, refillMs: 5_000, namesMax: 20_000 },
  /** Test messages of one user or token: the gateway must not become a tool to flood a mailbox or a server. */
  testMessages: { burst: 10, refillMs: 30_000, namesMax: 20_000 },
  /** Emailed invitations of one user or token, and of one account to one address: owners invite whom they like. */
  invitationsPerUser: { burst: membersMax, refillMs: 30_000, namesMax: 20_000 },
  invitationsPerAddress: { burst: 5, refillMs: 600_000, namesMax: 50_000 },
  /** Tests of upstreams by one user or token. Each one may cost money at the upstream. */
  testRequests: { burst: 30, refillMs: 2_000, namesMax: 20_000 },
} satisfies Record<string, BucketLimits>

const gates = {
  /** A password hash takes 64 MB and processor time. A flood of attempts must leave enough for requests. */
  hashing: { runningMax: 2, waitingMax: 16 },
  /** Each one waits for the identity provider, at most 10 s for each of its answers. */
  providing: { runningMax: 16, waitingMax: 200 },
  /** Password resets, which are prepared after the answer. */
  resetting: { runningMax: 2, waitingMax: 64 },
} satisfies Record<string, GateLimits>

export const signInLimits = { ...buckets, ...gates }

export interface SignInAttempt {
  readonly address: string
  /** The user name; undefined for a link, which names no user. */
  readonly user?: string
  /** Whether the visitor comes back from the identity provider. */
  readonly isReturn?: true
  /** A device that is known to this user. */
  readonly device?: string | undefined
}

export interface SignInThrottle {
  /** Runs `check` if another attempt is allowed, otherwise refuses with 429. A successful attempt is not counted. */
  attempt<T>(who: SignInAttempt, check: () => Promise<T | undefined>): Promise<T | undefined>
  /** Counts a request for a password reset, or refuses it with 429. The name counts whether or not it has a user. */
  countReset(who: { readonly address: string; readonly user: string }): void
  /** Counts a challenge for a passkey sign-in, or refuses it with 429. */
  countChallenge(address: string): void
  /** Counts an invitation that is sent by email, or refuses it with 429. */
  countInvitation(invitation: {
    readonly userId: string
    readonly accountId: string
    readonly email: string
  }): void
  /** Counts a test that a user or token asks for, or refuses it with 429. */
  countTest(kind: 'testMessages' | 'testRequests', userId: string): void
  /** Queues the work, or refuses with 429 if the queue is full. */
  inTurn<T>(kind: keyof typeof gates, isKnown: boolean, work: () => Promise<T>): Promise<T>
}

/** Each of several workers has its part of the limits, so that all of them together allow no more than one process. */
function openBuckets(clock: Clock, workers: number): Record<keyof typeof buckets, TokenBuckets> {
  const open = ({ burst, refillMs, namesMax }: BucketLimits): TokenBuckets =>
    new TokenBuckets(
      { burst: Math.max(1, Math.floor(burst / workers)), refillMs: refillMs * workers, namesMax },
      clock,
    )
  return {
    perAddress: open(buckets.perAddress),
    returnsPerAddress: open(buckets.returnsPerAddress),
    perPair: open(buckets.perPair),
    perUser: open(buckets.perUser),
    perDevice: open(buckets.perDevice),
    perUserDevices: open(buckets.perUserDevices),
    resetsPerAddress: open(buckets.resetsPerAddress),
    resetsPerUser: open(buckets.resetsPerUser),
    challengesPerAddress: open(buckets.challengesPerAddress),
    invitationsPerUser: open(buckets.invitationsPerUser),
    invitationsPerAddress: open(buckets.invitationsPerAddress),
    testMessages: open(buckets.testMessages),
    testRequests: open(buckets.testRequests),
  }
}

export function createSignInThrottle(clock: Clock, workers = 1): SignInThrottle {
  const counts = openBuckets(clock, workers)
  const lines = {
    hashing: new WorkGate(gates.hashing),
    providing: new WorkGate(gates.providing),
    resetting: new WorkGate(gates.resetting),
  }
  const countsOf = ({
    address,
    user,
    isReturn,
    device,
  }: SignInAttempt): [TokenBuckets, string][] => {
    if (user !== undefined && device !== undefined) {
      return [
        [counts.perDevice, `${device} ${user}`],
        [counts.perUserDevices, user],
      ]
    }
    const network = networkOf(address)
    if (isReturn) return [[counts.returnsPerAddress, network]]
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
        // Refused because the queue is full: no attempt was made.
        if (error instanceof ApiRefusal && error.code === 'too_many_tries') giveBack()
        throw error
      }
    },
    countReset: ({ address, user }) => {
      takeAll([
        [counts.resetsPerAddress, networkOf(address)],
        [counts.resetsPerUser, user],
      ])
    },
    countChallenge: (address) => {
      takeAll([[counts.challengesPerAddress, networkOf(address)]])
    },
    countInvitation: ({ userId, accountId, email }) => {
      takeAll([
        [counts.invitationsPerAddress, `${accountId} ${email}`],
        [counts.invitationsPerUser, userId],
      ])
    },
    countTest: (kind, userId) => {
      const waitMs = counts[kind].take(userId)
      if (waitMs > 0) throw new TooManyTries(waitMs)
    },
    inTurn: async (kind, isKnown, work) => {
      const running = lines[kind].run(isKnown, work)
      if (running === undefined) throw new TooManyTries(1_000)
      return running
    },
  }
}

/** All or nothing: an attempt that one limit refuses does not count for the others. */
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
    super('too_many_tries', `Too many attempts. Try again in ${seconds} s.`, {
      headers: { 'retry-after': String(seconds) },
    })
  }
}

/** Too many failed attempts: further ones are refused for a while. */
export class Lockout extends TooManyTries {}

/** One IPv6 customer has 2^64 addresses, so the network counts. */
function networkOf(address: string): string {
  const range = address.includes(':') ? parseAddressRange(`${address}/64`) : undefined
  return range?.bits === 128 ? `network ${range.network}` : address
}
