import type { TokenUsage } from '../../core/money/usage.ts'

/** The last usage that a stream has reported, and whether it covers all content that has arrived. */
export class LastReport {
  usage: TokenUsage | undefined
  #isBehind = false

  /** Content has followed the last report of the output, so the report is too low. */
  get isBehind(): boolean {
    return this.#isBehind && this.usage !== undefined
  }

  /** Called for each event. A report covers the content of its own event. */
  note(report: TokenUsage | undefined, isContent: boolean): void {
    if (report) {
      this.usage = report
      this.#isBehind = false
    } else if (isContent) this.#isBehind = true
  }

  /** A report without a count of the output does not cover the content before it. */
  noteInput(report: TokenUsage | undefined): void {
    if (report) this.usage = report
  }
}
