import { GrowingText } from '../../core/runtime/growing-text.ts'
import { isObject, parseJson, stringAt } from '../../wire/json.ts'

const opening = /^\s*\{\s*"input"\s*:\s*"/
/** Any prefix of the opening. */
const openingBegun = /^\s*(?:\{\s*(?:"(?:i(?:n(?:p(?:u(?:t(?:"\s*(?::\s*)?)?)?)?)?)?)?)?)?$/
/** A model that writes this much whitespace is not going to write the opening. */
const openingLengthMax = 256
const special = /["\\]/g
const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const unicodeEscape = /^\\u[0-9a-fA-F]{4}$/

/**
 * Extracts the free text from `{"input":"…"}` as it arrives, in any pieces. Arguments of another shape are passed on
 * unchanged: at once if they are not an object, otherwise at the end.
 */
export class InputUnwrapper {
  #state: 'opening' | 'inside' | 'after' | 'other' | 'raw' = 'opening'
  /**
   * Text that cannot be decided yet: a part of the opening or of an escape. In state `other`, a whole object of another
   * shape.
   */
  #kept = ''
  readonly #other = new GrowingText()
  /** The first half of a surrogate pair, which would not survive the encoding of the stream alone. */
  #half = ''

  push(text: string): string {
    switch (this.#state) {
      case 'opening':
        return this.#open(this.#kept + text)
      case 'inside':
        return this.#read(this.#kept + text)
      case 'other':
        this.#other.add(text)
        return ''
      case 'raw':
        return text
      case 'after':
        return ''
    }
  }

  /** The remaining text when the arguments are complete or were cut. */
  end(): string {
    if (this.#state === 'inside') return this.#half
    if (this.#state === 'after' || this.#state === 'raw') return ''
    const text = this.#kept + this.#other.toString()
    const value = parseJson(text)
    return (isObject(value) ? stringAt(value, 'input') : undefined) ?? text
  }

  #open(text: string): string {
    const [begun] = opening.exec(text) ?? []
    if (begun !== undefined) {
      this.#state = 'inside'
      return this.#read(text.slice(begun.length))
    }
    this.#kept = text
    if (text.length <= openingLengthMax && openingBegun.test(text)) return ''
    if (text.trimStart().startsWith('{')) {
      this.#state = 'other'
      return ''
    }
    this.#state = 'raw'
    return text
  }

  #read(text: string): string {
    this.#kept = ''
    let plain = this.#half
    let at = 0
    while (at < text.length) {
      special.lastIndex = at
      const found = special.exec(text)?.index ?? text.length
      plain += text.slice(at, found)
      at = found
      if (text[found] === '"') {
        this.#state = 'after'
        this.#half = ''
        return plain
      }
      if (text[found] !== '\\') break
      const length = text[found + 1] === 'u' ? 6 : 2
      if (found + length > text.length) {
        this.#kept = text.slice(found)
        break
      }
      plain += meaningOf(text.slice(found, found + length))
      at = found + length
    }
    return this.#withoutHalf(plain)
  }

  #withoutHalf(plain: string): string {
    const last = plain.charCodeAt(plain.length - 1)
    this.#half = last >= 0xd800 && last <= 0xdbff ? plain.slice(-1) : ''
    return this.#half === '' ? plain : plain.slice(0, -1)
  }
}

/** An invalid escape stands for itself. */
function meaningOf(spelled: string): string {
  if (spelled.length === 6) {
    return unicodeEscape.test(spelled)
      ? String.fromCharCode(Number.parseInt(spelled.slice(2), 16))
      : spelled
  }
  const letter = spelled.slice(1)
  if (letter === '"' || letter === '\\' || letter === '/') return letter
  return escapes[letter] ?? spelled
}
