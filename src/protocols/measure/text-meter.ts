import { estimateTokenCount } from 'tokenx'

/** Text is measured in pieces, so that a long stream is not kept in memory. */
const pieceCharacters = 2_048
/**
 * Measuring a megabyte takes up to 100 ms. The first `measuredFirst` pieces are all measured. Later, the tokens of one
 * measured piece also count for the pieces after it, for as many as an eighth (`measuredShare`) of all pieces so far.
 * Sixteen megabytes then take 80 measured pieces.
 */
const measuredFirst = 32
const measuredShare = 8

/** Estimates the tokens of a growing text. */
export class TextMeter {
  #tokens = 0
  #pending = ''
  #pieces = 0
  #nextMeasured = 0
  #pieceTokens = 0

  add(text: string): void {
    this.#pending += text
    if (this.#pending.length >= pieceCharacters) this.#measure()
  }

  #measure(): void {
    const text = this.#pending
    let at = 0
    for (; text.length - at >= pieceCharacters; at += pieceCharacters) {
      if (this.#pieces >= this.#nextMeasured) {
        this.#pieceTokens = estimateTokenCount(text.slice(at, at + pieceCharacters))
        const isFirst = this.#pieces < measuredFirst
        this.#nextMeasured += isFirst ? 1 : Math.floor(this.#pieces / measuredShare)
      }
      this.#pieces += 1
      this.#tokens += this.#pieceTokens
    }
    this.#pending = text.slice(at)
  }

  tokens(): number {
    const pending = this.#pending === '' ? 0 : estimateTokenCount(this.#pending)
    return this.#tokens + pending
  }
}

const samples = 16

/** Estimates the tokens of a text of this length from a few of its pieces. */
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
