import type { Blame } from './blame.ts'
import type { CredentialHealth } from './credential-health.ts'
import type { CredentialRest } from './credential-rest.ts'
import type { TargetHealth } from './target-health.ts'

/** What people should hear of. */
export interface HealthEvents {
  /** `onlyFor` is the account that is kept away, when it is not everybody. */
  breakerOpened(target: TargetHealth, forMs: number, onlyFor?: string): void
  breakerClosed(target: TargetHealth): void
  credentialDied(credential: CredentialHealth, status: number | undefined): void
  credentialRevived(credential: CredentialHealth): void
}

/** All of one upstream's requests in this process, whatever their model and credential. */
export interface UpstreamLoad {
  inFlight: number
  /** Which credential is the next to be used; counted up with every request. */
  turn: number
}

/** How an attempt failed, as far as health is concerned. */
export interface Failure {
  readonly blame: Blame
  readonly status?: number | undefined
  /** How long the upstream asked to be left alone. */
  readonly restMs?: number | undefined
}

/** One model at one upstream with one credential: what an attempt begins with and reports to. */
export class TargetState {
  readonly target: TargetHealth
  readonly load: UpstreamLoad
  readonly credential: CredentialHealth
  readonly rest: CredentialRest
  readonly #events: HealthEvents
  readonly #random: () => number

  constructor(
    states: {
      target: TargetHealth
      load: UpstreamLoad
      credential: CredentialHealth
      rest: CredentialRest
    },
    events: HealthEvents,
    random: () => number,
  ) {
    this.target = states.target
    this.load = states.load
    this.credential = states.credential
    this.rest = states.rest
    this.#events = events
    this.#random = random
  }

  /** Whether there is nothing to say against using it now. */
  isWell(nowMs: number, accountId?: string): boolean {
    return (
      this.target.mayPass(nowMs, accountId) &&
      this.rest.untilFor(accountId) <= nowMs &&
      this.credential.mayPass(nowMs, accountId)
    )
  }

  /** An attempt begins; true when it is the one that tries a half-open breaker. */
  enter(nowMs: number, accountId?: string): boolean {
    this.load.inFlight += 1
    this.load.turn += 1
    this.credential.enter(nowMs)
    return this.target.enter(nowMs, accountId)
  }

  /** The attempt is over, however it ended; told once. */
  leave(isTrial: boolean, accountId?: string): void {
    this.load.inFlight -= 1
    this.target.leave(isTrial, accountId)
  }

  /** The upstream answers: its first content is there. */
  succeed(nowMs: number, startedMs: number, accountId?: string): void {
    if (this.target.succeed(nowMs, startedMs, accountId)) this.#events.breakerClosed(this.target)
    if (this.rest.untilMs > 0) this.rest.end()
    if (this.credential.accept()) this.#events.credentialRevived(this.credential)
  }

  fail(nowMs: number, startedMs: number, failure: Failure, accountId?: string): void {
    switch (failure.blame) {
      case 'upstream':
        if (failure.restMs !== undefined) this.rest.begin(nowMs, failure.restMs, accountId)
        if (this.target.fail(nowMs, startedMs, this.#random(), accountId)) {
          const isForAll = this.target.openUntilFor(undefined) > nowMs
          const forMs = this.target.openUntilFor(accountId) - nowMs
          this.#events.breakerOpened(this.target, forMs, isForAll ? undefined : accountId)
        }
        return
      case 'credential':
        if (this.credential.refuse(nowMs, isProvocable(failure) ? accountId : undefined))
          this.#events.credentialDied(this.credential, failure.status)
        return
      case 'limit':
        this.target.tire()
        this.rest.begin(nowMs, failure.restMs)
        return
      case 'request':
        // Whoever refuses a request for what it says is there, and takes the credential.
        if (this.target.succeed(nowMs, startedMs, accountId))
          this.#events.breakerClosed(this.target)
        return
      case 'connection':
      case 'nobody':
        return
    }
  }
}

/** 402 and 403 may be about what one request asks for; a credential that is not known is refused with 401. */
function isProvocable({ status }: Failure): boolean {
  return status === 402 || status === 403
}
