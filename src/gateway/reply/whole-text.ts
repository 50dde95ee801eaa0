import { CutStore } from '../../wire/cut-store.ts'
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
    readonly store: CutStore
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
  const store = new CutStore(mint, !isTranslated)
  const read = await readLongReply(
    bytes,
    store,
    isTranslated ? { eventType: undefined } : undefined,
  )
  if (!read.isRead) return read
  const { text, value, cutBytes, cutTokens, hasLostLogprobs } = read
  return { bytes, text, value, long: { store, cutBytes, cutTokens, hasLostLogprobs } }
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
