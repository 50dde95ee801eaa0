import { healthRules as rules } from './health-rules.ts'

/** The rate limit of a credential for one model. Other models are not affected. */
export class CredentialCooldown {
  untilMs = 0
  /** The only account that was told to wait, by a response that its request may have caused. */
  #onlyFor: string | undefined
  #inRow = 0

  untilFor(accountId: string | undefined): number {
    return this.#onlyFor === undefined || this.#onlyFor === accountId ? this.untilMs : 0
  }

  /** `requestedMs` is the wait that the upstream asked for; undefined when it gave none. */
  begin(nowMs: number, requestedMs: number | undefined, onlyFor?: string): void {
    const isOfAnother = this.untilMs > nowMs && this.#onlyFor !== onlyFor
    this.#onlyFor = isOfAnother ? undefined : onlyFor
    this.#inRow += 1
    const guessMs = Math.min(rules.cooldownMs * 2 ** (this.#inRow - 1), rules.guessedCooldownMsMax)
    this.untilMs = nowMs + Math.min(requestedMs ?? guessMs, rules.cooldownMsMax)
  }

  end(): void {
    this.#inRow = 0
    this.untilMs = 0
  }
}
