import { CutBook } from '../../wire/cut-book.ts'
import { parseJson } from '../../wire/json.ts'
import { longReplyBytes, readLongReply, type UnreadReply } from './long-reply.ts'

/** A whole reply as its readers see it. */
export interface WholeText {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly text: string
  /** The parsed value; undefined when the text is not JSON. */
  readonly value: unknown
  /** For a long reply: the parts that were cut out. */
  readonly long?: {
    readonly book: CutBook
    readonly cutBytes: number
    readonly cutTokens: number
    readonly hasLostLogprobs: boolean
  }
}

const decoder = new TextDecoder()

/** Synchronous, unless that would block the event loop. */
export function openWhole(
  bytes: Uint8Array<ArrayBuffer>,
  isTranslated: boolean,
  mint: (prefix: string) => string,
): WholeText | Promise<WholeText | UnreadReply> {
  if (bytes.length <= longReplyBytes) return new ShortText(bytes)
  return openLong(bytes, isTranslated, mint)
}

async function openLong(
  bytes: Uint8Array<ArrayBuffer>,
  isTranslated: boolean,
  mint: (prefix: string) => string,
): Promise<WholeText | UnreadReply> {
  const book = new CutBook(mint, !isTranslated)
  const read = await readLongReply(bytes, book, isTranslated ? { eventType: undefined } : undefined)
  if (!read.isRead) return read
  const { text, value, cutBytes, cutTokens, hasLostLogprobs } = read
  return { bytes, text, value, long: { book, cutBytes, cutTokens, hasLostLogprobs } }
}

class ShortText implements WholeText {
  readonly bytes: Uint8Array<ArrayBuffer>
  #text: string | undefined
  #parsed: { readonly value: unknown } | undefined

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes
  }

  get text(): string {
    this.#text ??= decoder.decode(this.bytes)
    return this.#text
  }

  get value(): unknown {
    this.#parsed ??= { value: parseJson(this.text) }
    return this.#parsed.value
  }
}
