import type { RefusedLink } from '../../accounts/sign-in-link.ts'
import { recordAudit } from '../../store/changes/audit.ts'
import { write } from '../../store/changes/write.ts'
import { type Claimed, findClaimed } from '../handlers/session/check-password.ts'
import type { ConsoleDeps } from '../ports/console-parts.ts'
import type { OpenIdRefusalReason } from '../ports/open-id-provider.ts'
import { type BucketLimits, TokenBuckets } from './token-buckets.ts'

/** Actor of actions without a sign-in. */
const strangerActor = 'stranger'
/** Subject of attempts with an unknown user. The typed name is not stored. */
const unknownLogin = 'unknown'

/**
 * Anonymous visitors decide how often sign-ins fail, so the audit log records a limited number: for one user three at
 * once, then one in ten minutes; in total sixty, then one per minute. A lockout is recorded once in ten minutes per
 * user, even if the failures before it were not. The next row counts what was left out.
 */
export const failureLimits = {
  perLogin: { burst: 3, refillMs: 600_000, namesMax: 5_000 },
  lockouts: { burst: 1, refillMs: 600_000, namesMax: 5_000 },
  inAll: { burst: 60, refillMs: 60_000, namesMax: 1 },
} satisfies Record<string, BucketLimits>

export type SignInFailure =
  | 'password'
  | 'code'
  | 'passkey'
  /** The signature counter went back: there may be a copy of the passkey. */
  | 'passkey-counter'
  | 'locked'
  | RefusedLink['refused']
  | OpenIdRefusalReason
  | 'open-id-email'
  | 'open-id-unknown'
  | 'open-id-taken'
  | 'open-id-domain'
  | 'open-id-group'
  | 'open-id-claim'

interface FailedCandidate {
  /** The user whose password was checked, or the subject of the row. */
  readonly claimed: Claimed | { readonly subject: string }
  /** The name of the user in the throttle. */
  readonly name: string
  readonly failure: SignInFailure
  readonly address: string
  /** The identity that the provider reports. */
  readonly openId?: string
}

/** Records failed sign-ins in the audit log within the limits. */
export class FailedSignIns {
  readonly #deps: ConsoleDeps
  readonly #perLogin: TokenBuckets
  readonly #lockouts: TokenBuckets
  readonly #inAll: TokenBuckets
  readonly #unrecorded = new Map<string, number>()

  constructor(deps: ConsoleDeps) {
    this.#deps = deps
    this.#perLogin = new TokenBuckets(failureLimits.perLogin, deps.clock)
    this.#lockouts = new TokenBuckets(failureLimits.lockouts, deps.clock)
    this.#inAll = new TokenBuckets(failureLimits.inAll, deps.clock)
  }

  /** Never throws: the visitor gets the refusal even if the row cannot be written. */
  async note(tried: FailedCandidate, requestId: string): Promise<void> {
    try {
      if (this.#isTaken(tried)) await this.#record(tried)
    } catch (error) {
      this.#deps.onError?.(error, requestId)
    }
  }

  #isTaken({ name, failure }: FailedCandidate): boolean {
    const ofLogin = failure === 'locked' ? this.#lockouts : this.#perLogin
    if (ofLogin.take(name) === 0) {
      if (this.#inAll.take('') === 0) return true
      ofLogin.giveBack(name)
    }
    const count = (this.#unrecorded.get(name) ?? 0) + 1
    this.#unrecorded.delete(name)
    this.#unrecorded.set(name, count)
    const [oldest] = this.#unrecorded.keys()
    const isFull = this.#unrecorded.size > failureLimits.perLogin.namesMax
    if (isFull && oldest !== undefined) this.#unrecorded.delete(oldest)
    return false
  }

  async #record({ claimed, name, failure, address, openId }: FailedCandidate): Promise<void> {
    const { engine, clock } = this.#deps
    const subject =
      'subject' in claimed
        ? claimed.subject
        : ((await findClaimed(engine, claimed))?.id ?? unknownLogin)
    const unrecorded = this.#unrecorded.get(name)
    this.#unrecorded.delete(name)
    const at = clock.nowMs()
    const after = { address, ...(failure !== 'locked' && { failure }), openId, unrecorded }
    const actor = 'userId' in claimed ? claimed.userId : strangerActor
    const action = failure === 'locked' ? 'user.sign-in-locked' : 'user.sign-in-failed'
    await write(engine, at, (writing) =>
      recordAudit(writing, { at, actor, action, subject, after }),
    )
  }
}
