import { estimateTokenCount } from 'tokenx'

/** Text is measured in pieces, so that no long stream is kept in memory. */
const pieceCharacters = 2_048
/** To measure a megabyte takes 50 ms: of a long text every piece is measured at first, then one of so many. */
const measuredFirst = 64
const measuredEvery = 16

/** Estimates how many tokens a growing text has. */
export class TextMeter {
  #tokens = 0
  #pending = ''
  #pieces = 0
  #measured = 0
  #measuredTokens = 0

  add(text: string): void {
    this.#pending += text
    if (this.#pending.length >= pieceCharacters) this.#measure()
  }

  #measure(): void {
    const text = this.#pending
    let at = 0
    for (; text.length - at >= pieceCharacters; at += pieceCharacters) {
      this.#pieces += 1
      if (this.#pieces > measuredFirst && this.#pieces % measuredEvery !== 0) {
        this.#tokens += this.#measuredTokens / this.#measured
        continue
      }
      const tokens = estimateTokenCount(text.slice(at, at + pieceCharacters))
      this.#measured += 1
      this.#measuredTokens += tokens
      this.#tokens += tokens
    }
    this.#pending = text.slice(at)
  }

  tokens(): number {
    const pending = this.#pending === '' ? 0 : estimateTokenCount(this.#pending)
    return Math.ceil(this.#tokens) + pending
  }
}

const samples = 16

/** How many tokens a text of this length has, by a few pieces of it. */
export function estimateLongText(
  read: (from: number, length: number) => string,
  length: number,
): number {
  const sample = Math.min(length, pieceCharacters)
  const step = Math.floor((length - sample) / samples)
  let tokens = 0
  for (let index = 0; index < samples; index += 1) {
    tokens += estimateTokenCount(read(index * step, sample))
  }
  return Math.ceil((tokens / (samples * sample)) * length)
}
