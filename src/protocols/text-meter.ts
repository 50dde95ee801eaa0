import { estimateTokenCount } from 'tokenx'

/** Text is measured in pieces, so that neither a long stream is kept in memory nor a long piece takes long. */
const pieceCharactersMax = 2_048

/** Estimates how many tokens a growing text has. */
export class TextMeter {
  #tokens = 0
  #pending = ''

  add(text: string): void {
    this.#pending += text
    if (this.#pending.length >= pieceCharactersMax) this.#measure()
  }

  #measure(): void {
    while (this.#pending.length >= pieceCharactersMax) {
      this.#tokens += estimateTokenCount(this.#pending.slice(0, pieceCharactersMax))
      this.#pending = this.#pending.slice(pieceCharactersMax)
    }
  }

  tokens(): number {
    return this.#tokens + (this.#pending === '' ? 0 : estimateTokenCount(this.#pending))
  }
}
