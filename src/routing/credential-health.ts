import { healthRules as rules } from './health-rules.ts'

/** Whether an upstream still takes a credential. One that it has refused is tried again after a while, by one request. */
export class CredentialHealth {
  readonly upstreamId: string
  /** What people call it. */
  readonly name: string | undefined
  /** A changed value is another credential, whatever has become of the old one. */
  readonly value: string | undefined
  /** 0 while it is taken. */
  deadUntilMs = 0
  /** Only this account was refused, in an answer that its request may have provoked. */
  #onlyFor: string | undefined
  #trialSinceMs = Number.NEGATIVE_INFINITY

  constructor(upstreamId: string, name: string | undefined, value: string | undefined) {
    this.upstreamId = upstreamId
    this.name = name
    this.value = value
  }

  deadUntilFor(accountId: string | undefined): number {
    return this.#onlyFor === undefined || this.#onlyFor === accountId ? this.deadUntilMs : 0
  }

  mayPass(nowMs: number, accountId?: string): boolean {
    if (this.deadUntilFor(accountId) === 0) return true
    return nowMs >= this.deadUntilMs && nowMs - this.#trialSinceMs >= rules.trialMs
  }

  enter(nowMs: number): void {
    if (this.deadUntilMs > 0 && nowMs >= this.deadUntilMs) this.#trialSinceMs = nowMs
  }

  /** True when it was taken until now. `onlyFor` is who may have provoked it; a second such account has not. */
  refuse(nowMs: number, onlyFor?: string): boolean {
    const isNew = this.deadUntilMs === 0
    this.#onlyFor = isNew || this.#onlyFor === onlyFor ? onlyFor : undefined
    this.deadUntilMs = nowMs + rules.deadMs
    return isNew
  }

  /** True when it was thought dead. */
  accept(): boolean {
    if (this.deadUntilMs === 0) return false
    this.deadUntilMs = 0
    return true
  }
}
