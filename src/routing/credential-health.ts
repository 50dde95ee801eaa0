import type { OwnedLimits } from '../core/limits/rate-limit.ts'
import { healthRules as rules } from './health-rules.ts'

/**
 * How long a refusal by the limits of a credential is relied on. There can be room sooner than expected: attempts give
 * back the tokens that they did not need, and replicas divide a limit anew.
 */
const refusalMs = 1_000

/**
 * Whether an upstream accepts a credential. After a rejection, one request tests the credential again after a while.
 */
export class CredentialHealth {
  readonly upstreamId: string
  /** The name that the operator gave the credential. */
  readonly name: string | undefined
  /** A changed value is a new credential, whatever the health of the old one. */
  readonly value: string | undefined
  /** 0 while the credential is accepted. */
  rejectedUntilMs = 0
  /** The only account that was rejected, by a response that its request may have caused. */
  #onlyFor: string | undefined
  #trialSinceMs = Number.NEGATIVE_INFINITY
  /** When the limits that the operator has set are available again for a request like the refused one. */
  usedUpUntilMs = 0
  /** The tokens of the refused request; 0: no request passes. */
  #usedUpTokens = 0
  #refusedAtMs = Number.NEGATIVE_INFINITY
  #limits: OwnedLimits | undefined

  constructor(upstreamId: string, name: string | undefined, value: string | undefined) {
    this.upstreamId = upstreamId
    this.name = name
    this.value = value
  }

  rejectedUntilFor(accountId: string | undefined): number {
    return this.#onlyFor === undefined || this.#onlyFor === accountId ? this.rejectedUntilMs : 0
  }

  mayPass(nowMs: number, accountId?: string): boolean {
    if (this.rejectedUntilFor(accountId) === 0) return true
    return nowMs >= this.rejectedUntilMs && nowMs - this.#trialSinceMs >= rules.trialMs
  }

  /** Whether the limits were just found used up for a request of this size. Without a size: for every request. */
  isUsedUp(nowMs: number, tokens = 0): boolean {
    const isRecent = nowMs - this.#refusedAtMs < refusalMs
    return isRecent && this.usedUpUntilMs > nowMs && tokens >= this.#usedUpTokens
  }

  noteUsedUp(nowMs: number, waitMs: number, tokens: number): void {
    this.#refusedAtMs = nowMs
    this.usedUpUntilMs = nowMs + waitMs
    this.#usedUpTokens = tokens
  }

  /** Other limits than before: what is left of them is not known. */
  limitBy(limits: OwnedLimits | undefined): void {
    if (this.#limits !== limits) this.usedUpUntilMs = 0
    this.#limits = limits
  }

  enter(nowMs: number): void {
    if (this.rejectedUntilMs > 0 && nowMs >= this.rejectedUntilMs) this.#trialSinceMs = nowMs
  }

  /**
   * True when the credential was accepted until now. `onlyFor` is the account whose request may have caused the
   * rejection. After a rejection of a second account, the credential itself is the cause.
   */
  refuse(nowMs: number, onlyFor?: string): boolean {
    const isNew = this.rejectedUntilMs === 0
    this.#onlyFor = isNew || this.#onlyFor === onlyFor ? onlyFor : undefined
    this.rejectedUntilMs = nowMs + rules.rejectedMs
    return isNew
  }

  /** True when the credential was considered dead. */
  accept(): boolean {
    if (this.rejectedUntilMs === 0) return false
    this.rejectedUntilMs = 0
    return true
  }
}
