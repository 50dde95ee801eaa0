import { Fault } from '../../core/fault.ts'
import type { ModelRequest } from '../../core/neutral/model-request.ts'
import type { ReplyEvent } from '../../core/neutral/reply-event.ts'
import type { CallRestore } from '../../protocols/fit/call-restore.ts'
import { restoreCalls } from '../../protocols/fit/restore-calls.ts'
import type { Protocol, StreamTap } from '../../protocols/protocol.ts'
import { replyLimits } from '../../protocols/reply-limits.ts'
import type { ReplyTraits } from '../../protocols/reply-traits.ts'
import type { ReplyContext, SetAsideText } from '../../protocols/translation.ts'
import { roughInputTokens } from '../charge/estimate-input.ts'
import type { Exchange } from '../exchange.ts'
import { limits } from '../limits.ts'
import { joinDeltas } from '../reply/join-deltas.ts'
import { openReplyIds } from '../reply/reply-ids.ts'
import { ReplyReader } from '../reply/reply-reader.ts'
import { SetAsideTexts } from '../reply/set-aside-texts.ts'
import { TranslatingTap } from '../reply/translating-tap.ts'
import type { WholeText } from '../reply/whole-text.ts'
import { foreignFault } from './foreign-fault.ts'
import { headersFor } from './forwarded-headers.ts'
import type { Passage, StorableReply, WholeReply } from './passage.ts'

/** A request prepared for one upstream; see `prepare-request.ts`. */
export interface PreparedRequest {
  readonly body: string
  readonly warnings: readonly string[]
  readonly restore: CallRestore
  readonly issuer: string
  /** The fields of the upstream's replies beyond its protocol. */
  readonly replies: ReplyTraits
  /** The client's request before it was adapted to the upstream. */
  readonly request: ModelRequest
}

export interface TranslationDeps {
  mint(prefix: string): string
  /** Remembers reasoning that the client may not send back. */
  remember(exchange: Exchange, events: readonly ReplyEvent[]): void
}

const noHeaders: Readonly<Record<string, string>> = {}

/** The two sides speak different protocols: request and reply go through the neutral form. */
export class TranslatingPassage implements Passage {
  readonly body: string
  readonly isTranslated = true
  readonly headers: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  readonly #exchange: Exchange
  readonly #upstream: Protocol
  readonly #prepared: PreparedRequest
  readonly #deps: TranslationDeps

  constructor(
    exchange: Exchange,
    upstream: Protocol,
    prepared: PreparedRequest,
    deps: TranslationDeps,
  ) {
    this.body = prepared.body
    this.warnings = prepared.warnings
    // A body with an envelope is rewritten even for an upstream of the same protocol, which still understands the
    // client's beta headers.
    this.headers = upstream.name === exchange.protocol.name ? headersFor(exchange) : noHeaders
    this.#exchange = exchange
    this.#upstream = upstream
    this.#prepared = prepared
    this.#deps = deps
  }

  readReply({ text, long }: WholeText): WholeReply | undefined {
    const reader = new ReplyReader()
    const decoded = this.#upstream.translation.decodeReply(text, this.#context())
    if (decoded.filter(({ type }) => type === 'part-start').length > replyLimits.parts) {
      throw new Fault(
        'upstream_error',
        'The upstream sent a response that cannot be read. Try again.',
        {
          operatorMessage: `its answer has more than ${replyLimits.parts} parts`,
        },
      )
    }
    const events = this.#restored(long ? joinDeltas(decoded) : decoded)
    for (const event of events) reader.note(event)
    if (reader.fault) throw this.#toClient(reader.fault)
    if (!reader.isOver) return undefined
    // Reasoning with a mark in it would be incomplete, so it is not remembered.
    if ((long?.cutBytes ?? 0) === 0) this.#deps.remember(this.#exchange, reader.remembered)
    const body = this.#exchange.protocol.translation.encodeReply(events, this.#replyContext())
    return { reading: reader.reading(), body, kept: this.#kept(body) }
  }

  openTap(): StreamTap {
    const aside = new SetAsideTexts(this.#deps.mint)
    const context = this.#replyContext(aside.setAside)
    const encoder = this.#exchange.protocol.translation.openEncoder(context)
    return new TranslatingTap({
      decoder: this.#upstream.translation.openDecoder(this.#context()),
      encoder,
      aside,
      restore: this.#prepared.restore.isIdentity ? undefined : restoreCalls(this.#prepared.restore),
      toClient: (fault) => this.#toClient(fault),
      onOver: (events) => this.#deps.remember(this.#exchange, events),
      kept: () => {
        const responseText = encoder.finalResponse?.()
        if (responseText === undefined || aside.bytes > limits.storedCharactersMax) return undefined
        return this.#kept(aside.fillText(responseText))
      },
    })
  }

  readFault(status: number, bodyText: string): Fault {
    return this.#toClient(this.#upstream.passThrough.readFault(status, bodyText))
  }

  #toClient(fault: Fault): Fault {
    return foreignFault(fault, this.#upstream.name, this.#exchange.protocol.name)
  }

  #restored(events: ReplyEvent[]): ReplyEvent[] {
    if (this.#prepared.restore.isIdentity) return events
    return events.flatMap(restoreCalls(this.#prepared.restore))
  }

  #context() {
    const { issuer, replies, request } = this.#prepared
    return { issuer, replies, answers: request.answers, mint: this.#deps.mint }
  }

  #replyContext(setAside?: SetAsideText): ReplyContext {
    const { facts, body, call, resumedFrom } = this.#exchange
    return {
      request: this.#prepared.request,
      requestId: call.requestId,
      body:
        resumedFrom === undefined
          ? body.value
          : { ...body.value, previous_response_id: resumedFrom },
      wantsStreamUsage: facts.wantsStreamUsage,
      framing: facts.framing,
      createdAtSeconds: Math.floor(call.receivedAtMs / 1000),
      // A getter, because most protocols never read this value.
      get estimatedInputTokens() {
        return roughInputTokens(body)
      },
      setAside,
      mint: openReplyIds(this.#deps.mint),
    }
  }

  #kept(responseText: string): StorableReply | undefined {
    const id = this.#exchange.protocol.continuing?.replyIdIn(responseText)
    return id === undefined ? undefined : { id, responseText }
  }
}
