import type { ForwardTarget } from '../../protocols/protocol.ts'
import { plainReplies, type ReplyTraits } from '../../protocols/reply-traits.ts'
import type { UpstreamContext } from '../../protocols/translation.ts'
import { isObject } from '../../wire/json.ts'
import type { Exchange } from '../exchange.ts'
import type { WholeText } from '../reply/whole-text.ts'
import { headersFor } from './forwarded-headers.ts'
import type { Passage, WholeReply } from './passage.ts'

/** Both sides speak one protocol: only the model name is replaced in the request, and the reply returns unchanged. */
export class PassThroughPassage implements Passage {
  readonly body: string
  readonly isTranslated = false
  readonly headers: Readonly<Record<string, string>>
  readonly warnings: readonly string[] = []
  readonly #exchange: Exchange
  readonly #traits: ReplyTraits

  constructor(exchange: Exchange, target: ForwardTarget) {
    const { passThrough } = exchange.protocol
    this.#exchange = exchange
    this.#traits = target.traits.replies ?? plainReplies
    this.body = passThrough.encodeForward(exchange.body, exchange.facts, target)
    this.headers = headersFor(exchange)
  }

  readReply({ bytes, text, value }: WholeText): WholeReply | undefined {
    const { passThrough, translation } = this.#exchange.protocol
    if (!isObject(value)) return undefined
    const reading = passThrough.readReply(value, this.#traits)
    // No usage and no text: an error sent with status 200, or not a reply of this protocol.
    const isShort = text.length <= faultCharactersMax
    if (isShort && !reading.usage && reading.deliveredTokens() === 0) {
      for (const event of translation.decodeReply(text, checkOnly)) {
        if (event.type === 'fault') throw event.fault
      }
    }
    return { reading, body: bytes }
  }

  openTap() {
    return this.#exchange.protocol.passThrough.openTap(this.#exchange.facts, this.#traits)
  }

  readFault(status: number, bodyText: string) {
    return this.#exchange.protocol.passThrough.readFault(status, bodyText)
  }
}

/** No error is longer than this, apart from the parts that were cut out of a long reply. */
const faultCharactersMax = 1024 * 1024

/** Checking whether a reply is valid needs no ids for its parts. */
const checkOnly: UpstreamContext = {
  issuer: '',
  replies: plainReplies,
  mint: (prefix) => prefix,
}
