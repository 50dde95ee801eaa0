/** The head of a reply is not HTTP/1.x, or does not determine the end of the body. */
export class BadReplyHead extends Error {
  override readonly name = 'BadReplyHead'
}

/** How the end of a body is determined. */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-close' }

/**
 * The status line, then one line per field with name, colon and value. Any other form could hide the start of the body.
 */
const whole = /^HTTP\/1\.[01] \d{3}(?: [^\n]*|\r)?\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\0\n]*\n)*$/
const versionAt = 'HTTP/1.'.length
const statusAt = 'HTTP/1.1 '.length
const digits = /^\d{1,15}$/

/** The fields that every reply is searched for, as they occur in the text. */
const marks: ReadonlyMap<string, string> = new Map(
  [
    'connection',
    'content-encoding',
    'content-length',
    'keep-alive',
    'request-id',
    'transfer-encoding',
    'x-request-id',
  ].map((name) => [name, `\n${name}:`]),
)

/**
 * The head of a reply as text: the status line and the fields, each with its line end. Most fields are never read, so a
 * field is looked up in the text and the head is not parsed.
 */
export class ReplyHead {
  readonly status: number
  readonly #text: string
  readonly #isOldVersion: boolean
  #lowerText: string | undefined

  constructor(text: string) {
    if (!whole.test(text)) throw new BadReplyHead('its answer is not HTTP/1.1')
    this.#isOldVersion = text[versionAt] === '0'
    this.status = Number(text.slice(statusAt, statusAt + 3))
    this.#text = text
  }

  /** The values of a field, joined by commas as RFC 9110 allows; null without the field. */
  get(name: string): string | null {
    this.#lowerText ??= this.#text.toLowerCase()
    const mark = marks.get(name) ?? `\n${name.toLowerCase()}:`
    let value: string | null = null
    for (let at = this.#lowerText.indexOf(mark); at >= 0; ) {
      const from = at + mark.length
      const end = this.#text.indexOf('\n', from)
      const one = this.#text.slice(from, end).trim()
      value = value === null ? one : `${value}, ${one}`
      at = this.#lowerText.indexOf(mark, end)
    }
    return value
  }

  /** Whether the connection may carry another request after this reply. */
  get isKeptAlive(): boolean {
    const connection = this.get('connection')?.toLowerCase()
    if (connection?.includes('close')) return false
    return !this.#isOldVersion || (connection?.includes('keep-alive') ?? false)
  }

  /** How long the server says it keeps an idle connection open. */
  get keptAliveMs(): number | undefined {
    const field = this.get('keep-alive')
    const seconds = field === null ? undefined : /(?:^|[,;\s])timeout=(\d{1,6})/i.exec(field)?.[1]
    return seconds === undefined ? undefined : Number(seconds) * 1_000
  }

  framing(): BodyFraming {
    if (this.status < 200 || this.status === 204 || this.status === 304) return { kind: 'none' }
    const coding = this.get('transfer-encoding')
    if (coding !== null) {
      return /(?:^|,)\s*chunked\s*$/i.test(coding) ? { kind: 'chunked' } : { kind: 'until-close' }
    }
    const declared = this.get('content-length')
    return declared === null ? { kind: 'until-close' } : { kind: 'length', bytes: length(declared) }
  }
}

/** Repeated lengths must be equal. Otherwise the start of the next reply is ambiguous. */
function length(declared: string): number {
  if (digits.test(declared)) return Number(declared)
  const values = new Set(declared.split(',').map((value) => value.trim()))
  const [value = ''] = values
  if (values.size !== 1 || !digits.test(value)) {
    throw new BadReplyHead('its answer declares an invalid length')
  }
  return Number(value)
}
