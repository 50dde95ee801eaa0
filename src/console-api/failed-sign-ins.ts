import type { RefusedLink } from '../accounts/sign-in-link.ts'
import { recordAudit } from '../store/audit.ts'
import { write } from '../store/write.ts'
import type { ConsoleDeps } from './console-parts.ts'
import { type Claimed, findClaimed } from './handlers/session/check-password.ts'
import type { OpenIdRefusalReason } from './open-id-provider.ts'
import { type BucketLimits, TokenBuckets } from './token-buckets.ts'

/** The actor of what somebody did who is not signed in. */
const strangerActor = 'stranger'
/** The subject of tries at a login that does not exist: what a stranger has typed is not written down. */
const unknownLogin = 'unknown'

/**
 * Strangers decide how often sign-ins fail, so the audit log takes a few of them: three in a row at one login, then one
 * in ten minutes, and of all together sixty, then one a minute. A lockout comes after many failures and is told although
 * those are not, once in ten minutes at one login. What is left out is counted in the next row.
 */
export const failureLimits = {
  perLogin: { burst: 3, refillMs: 600_000, namesMax: 5_000 },
  lockouts: { burst: 1, refillMs: 600_000, namesMax: 5_000 },
  inAll: { burst: 60, refillMs: 60_000, namesMax: 1 },
} satisfies Record<string, BucketLimits>

export type SignInFailure =
  | 'password'
  | 'code'
  | 'locked'
  | RefusedLink['refused']
  | OpenIdRefusalReason
  | 'open-id-email'
  | 'open-id-unknown'
  | 'open-id-taken'

interface FailedTry {
  /** The login whose password was asked for, or the subject of the row itself. */
  readonly claimed: Claimed | { readonly subject: string }
  /** What the throttle calls the login that was tried. */
  readonly name: string
  readonly failure: SignInFailure
  readonly address: string
  /** Who the identity provider says it was. */
  readonly openId?: string
}

/** Writes failed sign-ins into the audit log, as many as the limits allow. */
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

  /** Never fails: whoever could not sign in is told so, whatever becomes of the row. */
  async note(tried: FailedTry, requestId: string): Promise<void> {
    try {
      if (this.#isTaken(tried)) await this.#record(tried)
    } catch (error) {
      this.#deps.onError?.(error, requestId)
    }
  }

  #isTaken({ name, failure }: FailedTry): boolean {
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

  async #record({ claimed, name, failure, address, openId }: FailedTry): Promise<void> {
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
