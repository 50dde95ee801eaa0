import type { CredentialCooldown } from './credential-cooldown.ts'
import type { CredentialHealth } from './credential-health.ts'
import type { FailureCause } from './failure-cause.ts'
import type { TargetHealth } from './target-health.ts'

/** Events for the operator. */
export interface HealthEvents {
  /** `onlyFor` is the blocked account, if the breaker is not for all accounts. */
  breakerOpened(target: TargetHealth, forMs: number, onlyFor?: string): void
  breakerClosed(target: TargetHealth): void
  credentialRejected(credential: CredentialHealth, status: number | undefined): void
  credentialAccepted(credential: CredentialHealth): void
}

/** All requests of this process to one upstream, for any model and credential. */
export interface UpstreamLoad {
  inFlight: number
  /** The limit of the present catalogue, which also holds for requests that were planned before. */
  concurrencyMax: number | undefined
  /** The credential to use next. Incremented with every request. */
  turn: number
  /** The requests that wait for this upstream; undefined if none ever did. */
  queue?: { offer(): void } | undefined
}

/** How an attempt failed, as far as health is concerned. */
export interface Failure {
  readonly cause: FailureCause
  readonly status?: number | undefined
  /** How long the upstream asked clients to wait. */
  readonly cooldownMs?: number | undefined
}

/** One model at one upstream with one credential. Attempts start here and report here. */
export class TargetState {
  readonly target: TargetHealth
  readonly load: UpstreamLoad
  readonly credential: CredentialHealth
  readonly cooldown: CredentialCooldown
  readonly #events: HealthEvents
  readonly #random: () => number

  constructor(
    states: {
      target: TargetHealth
      load: UpstreamLoad
      credential: CredentialHealth
      cooldown: CredentialCooldown
    },
    events: HealthEvents,
    random: () => number,
  ) {
    this.target = states.target
    this.load = states.load
    this.credential = states.credential
    this.cooldown = states.cooldown
    this.#events = events
    this.#random = random
  }

  /** Whether the candidate is healthy now: not blocked, rate-limited, used up or rejected. */
  isHealthy(nowMs: number, accountId?: string): boolean {
    return this.#isAccepted(nowMs, accountId) && !this.credential.isUsedUp(nowMs)
  }

  /** How long until the limits of the credential have room again, if they are the only obstacle; otherwise undefined. */
  usedUpForMs(nowMs: number, accountId?: string): number | undefined {
    const isUsedUp = this.#isAccepted(nowMs, accountId) && this.credential.isUsedUp(nowMs)
    return isUsedUp ? this.credential.usedUpUntilMs - nowMs : undefined
  }

  #isAccepted(nowMs: number, accountId: string | undefined): boolean {
    return (
      this.target.mayPass(nowMs, accountId) &&
      this.cooldown.untilFor(accountId) <= nowMs &&
      this.credential.mayPass(nowMs, accountId)
    )
  }

  /** Starts an attempt. True when the attempt tests a half-open breaker. */
  enter(nowMs: number, accountId?: string): boolean {
    this.load.inFlight += 1
    this.load.turn += 1
    this.credential.enter(nowMs)
    return this.target.enter(nowMs, accountId)
  }

  /** Ends an attempt, whatever its result; called once. */
  leave(isTrial: boolean, accountId?: string): void {
    this.load.inFlight -= 1
    this.target.leave(isTrial, accountId)
    this.load.queue?.offer()
  }

  /** The first content of the upstream's reply has arrived. */
  succeed(nowMs: number, startedMs: number, accountId?: string): void {
    if (this.target.succeed(nowMs, startedMs, accountId)) this.#events.breakerClosed(this.target)
    if (this.cooldown.untilMs > 0) this.cooldown.end()
    if (this.credential.accept()) this.#events.credentialAccepted(this.credential)
  }

  fail(nowMs: number, startedMs: number, failure: Failure, accountId?: string): void {
    switch (failure.cause) {
      case 'upstream':
        if (failure.cooldownMs !== undefined)
          this.cooldown.begin(nowMs, failure.cooldownMs, accountId)
        if (this.target.fail(nowMs, startedMs, this.#random(), accountId)) {
          const isForAll = this.target.openUntilFor(undefined) > nowMs
          const forMs = this.target.openUntilFor(accountId) - nowMs
          this.#events.breakerOpened(this.target, forMs, isForAll ? undefined : accountId)
        }
        return
      case 'credential':
        if (this.credential.refuse(nowMs, mayBeCausedByRequest(failure) ? accountId : undefined))
          this.#events.credentialRejected(this.credential, failure.status)
        return
      case 'limit':
        this.target.lowerScore()
        this.cooldown.begin(nowMs, failure.cooldownMs)
        return
      case 'request':
        // An upstream that refuses a request for its content is reachable and accepts the credential.
        if (this.target.succeed(nowMs, startedMs, accountId))
          this.#events.breakerClosed(this.target)
        return
      case 'connection':
      case 'nobody':
        return
    }
  }
}

/** 402 and 403 may be caused by one request. An unknown credential is rejected with 401. */
function mayBeCausedByRequest({ status }: Failure): boolean {
  return status === 402 || status === 403
}
