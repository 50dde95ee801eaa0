import { GrowingText } from '../../../core/runtime/growing-text.ts'
import {
  backslash,
  closeBrace,
  closeBracket,
  openBrace,
  openBracket,
  quote,
} from '../../../wire/char-codes.ts'
import { parseJson } from '../../../wire/json.ts'

const spaces = /^\s*$/
/** The most pieces that may wait unread, because usually no caller asks whether the arguments are complete. */
const unreadMax = 1_024
const unreadCharactersMax = 32 * 1024
const parsedMax = 64 * 1024

/** The arguments of a call as they arrive. Each piece is read once, however often the state is queried. */
export class ArgumentsText {
  readonly #all = new GrowingText()
  #unsent: string[] = []
  #unread: string[] = []
  #unreadCharacters = 0
  #depth = 0
  #isInString = false
  #isEscaped = false
  #state: 'open' | 'closed' | 'other' = 'open'
  #isObject: boolean | undefined

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  add(text: string): void {
    if (text === '') return
    this.#all.add(text)
    this.#unsent.push(text)
    this.#unread.push(text)
    this.#unreadCharacters += text.length
    const isMuch = this.#unreadCharacters > unreadCharactersMax
    if (isMuch || this.#unread.length >= unreadMax) this.#readAll()
  }

  /** The text since the last call of `take`. */
  take(): string {
    const text = this.#unsent.length === 1 ? (this.#unsent[0] ?? '') : this.#unsent.join('')
    this.#unsent = []
    return text
  }

  /** Whether the arguments are one complete JSON object. */
  isObject(): boolean {
    this.#readAll()
    if (this.#state !== 'closed') return false
    // Once the text is not an object, later pieces cannot make it one. For a long text the brackets are enough.
    this.#isObject ??= this.#all.length > parsedMax || parseJson(this.#all.toString()) !== undefined
    return this.#isObject
  }

  #readAll(): void {
    for (const text of this.#unread) this.#read(text)
    this.#unread = []
    this.#unreadCharacters = 0
  }

  #read(text: string): void {
    for (let at = 0; at < text.length && this.#state !== 'other'; at += 1) {
      if (this.#state === 'closed') {
        if (!spaces.test(text.slice(at))) this.#state = 'other'
        return
      }
      this.#step(text.charCodeAt(at))
    }
  }

  #step(code: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (code === backslash) this.#isEscaped = true
      else if (code === quote) this.#isInString = false
      return
    }
    if (code === quote) this.#isInString = true
    else if (code === openBrace || code === openBracket) this.#depth += 1
    else if (code === closeBrace || code === closeBracket) {
      this.#depth -= 1
      if (this.#depth <= 0) this.#state = code === closeBrace ? 'closed' : 'other'
    }
  }
}
