import { Breaker } from './breaker.ts'
import { FailureShares } from './failure-shares.ts'
import { healthRules as rules } from './health-rules.ts'

/**
 * The health of one model at one upstream. One breaker is for all accounts and needs failures of more than one account.
 * In addition, each account with failures has its own breaker, which blocks only that account: failures that a request
 * causes itself must not move other accounts. Usually no account has a breaker.
 */
export class TargetHealth {
  readonly upstreamId: string
  readonly model: string
  inFlight = 0
  /** Whether the target has ever answered or failed. Before that, it was only planned for. */
  isKnown = false
  /** The mean time to first token; 0 until measured. */
  latencyMs = 0
  /** The mean speed of hidden reasoning in tokens per second; undefined until measured. */
  hiddenPerSecond: number | undefined
  /** The share of successful answers; recent ones count most. */
  healthScore = 1
  readonly #all = new Breaker()
  readonly #shares = new FailureShares()
  readonly #own = new Map<string, Breaker>()

  constructor(upstreamId: string, model: string) {
    this.upstreamId = upstreamId
    this.model = model
  }

  get failuresInRow(): number {
    return this.#all.failuresInRow
  }

  /** For display: an account's breaker counts as open for all accounts until another account has had a success. */
  get openUntilMs(): number {
    let untilMs = this.#all.openUntilMs
    if (untilMs > 0 || this.#own.size === 0) return untilMs
    for (const own of this.#own.values())
      if (!own.isContradicted) untilMs = Math.max(untilMs, own.openUntilMs)
    return untilMs
  }

  openUntilFor(accountId: string | undefined): number {
    return Math.max(this.#all.openUntilMs, this.#ownOf(accountId)?.openUntilMs ?? 0)
  }

  /** Whether a request of this account may go there. */
  mayPass(nowMs: number, accountId?: string): boolean {
    return this.#all.mayPass(nowMs) && this.#ownOf(accountId)?.mayPass(nowMs) !== false
  }

  /** True for the request that tests a half-open breaker. */
  enter(nowMs: number, accountId?: string): boolean {
    this.inFlight += 1
    const isOwnTrial = this.#ownOf(accountId)?.enter(nowMs) === true
    return this.#all.enter(nowMs) || isOwnTrial
  }

  leave(isTrial: boolean, accountId?: string): void {
    this.inFlight -= 1
    if (!isTrial) return
    this.#all.endTrial()
    this.#ownOf(accountId)?.endTrial()
  }

  noteFirstToken(ms: number): void {
    this.isKnown = true
    this.latencyMs =
      this.latencyMs === 0 ? ms : this.latencyMs + (ms - this.latencyMs) * rules.meanShare
  }

  noteHidden(perSecond: number): void {
    const known = this.hiddenPerSecond ?? perSecond
    this.hiddenPerSecond = known + (perSecond - known) * rules.meanShare
  }

  /** True when this success has closed a breaker. */
  succeed(nowMs: number, startedMs: number, accountId?: string): boolean {
    this.isKnown = true
    this.healthScore += (1 - this.healthScore) * rules.meanShare
    this.#shares.succeed()
    const isClosed = this.#all.succeed(nowMs, startedMs)
    if (this.#own.size === 0) return isClosed
    for (const [id, own] of this.#own) if (id !== accountId) own.isContradicted = true
    const own = this.#ownOf(accountId)
    const isOwnClosed = own?.succeed(nowMs, startedMs) === true
    if (own?.isQuiet === true && accountId !== undefined) this.#own.delete(accountId)
    return isClosed || isOwnClosed
  }

  /** True when this failure has opened a breaker. `chance` is a number in [0, 1). */
  fail(nowMs: number, startedMs: number, chance: number, accountId?: string): boolean {
    this.isKnown = true
    this.#shares.fail(nowMs, accountId)
    const own = accountId === undefined ? undefined : this.#makeOwn(accountId)
    // A failure of an account that is already blocked says nothing new.
    if (own === undefined || own.openUntilMs === 0) this.lowerScore()
    const isOwnOpened = own?.fail(nowMs, startedMs, chance) === true
    return this.#all.fail(nowMs, startedMs, chance, this.#shares.isEnough) || isOwnOpened
  }

  /** The target answers but is overloaded, so it should get fewer requests. */
  lowerScore(): void {
    this.isKnown = true
    this.healthScore -= this.healthScore * rules.meanShare
  }

  /** A probe had a success: the next request may test the target, whatever time is left. */
  hint(nowMs: number): void {
    this.#all.hint(nowMs)
    for (const own of this.#own.values()) own.hint(nowMs)
  }

  #ownOf(accountId: string | undefined): Breaker | undefined {
    return this.#own.size === 0 || accountId === undefined ? undefined : this.#own.get(accountId)
  }

  #makeOwn(accountId: string): Breaker {
    const known = this.#own.get(accountId)
    if (known) return known
    const [oldest] = this.#own.keys()
    if (this.#own.size >= rules.accountsMax && oldest !== undefined) this.#own.delete(oldest)
    const made = new Breaker()
    this.#own.set(accountId, made)
    return made
  }
}
