import { healthRules as rules } from './health-rules.ts'

/** A credential that has reached a limit of its upstream for one model rests there, and only there. */
export class CredentialRest {
  untilMs = 0
  #inRow = 0

  /** `toldMs` is what the upstream said; undefined when it said nothing. */
  begin(nowMs: number, toldMs: number | undefined): void {
    this.#inRow += 1
    const guessMs = Math.min(rules.restMs * 2 ** (this.#inRow - 1), rules.restGuessMsMax)
    this.untilMs = nowMs + Math.min(toldMs ?? guessMs, rules.restMsMax)
  }

  end(): void {
    this.#inRow = 0
    this.untilMs = 0
  }
}
