import { healthRules as rules } from './health-rules.ts'

/** A credential that has reached a limit of its upstream for one model rests there, and only there. */
export class CredentialRest {
  untilMs = 0
  /** Only this account has been told to wait, in an answer that its request may have provoked. */
  #onlyFor: string | undefined
  #inRow = 0

  untilFor(accountId: string | undefined): number {
    return this.#onlyFor === undefined || this.#onlyFor === accountId ? this.untilMs : 0
  }

  /** `toldMs` is what the upstream said; undefined when it said nothing. */
  begin(nowMs: number, toldMs: number | undefined, onlyFor?: string): void {
    const isOfAnother = this.untilMs > nowMs && this.#onlyFor !== onlyFor
    this.#onlyFor = isOfAnother ? undefined : onlyFor
    this.#inRow += 1
    const guessMs = Math.min(rules.restMs * 2 ** (this.#inRow - 1), rules.restGuessMsMax)
    this.untilMs = nowMs + Math.min(toldMs ?? guessMs, rules.restMsMax)
  }

  end(): void {
    this.#inRow = 0
    this.untilMs = 0
  }
}
