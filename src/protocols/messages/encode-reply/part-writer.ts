import type { TokenUsage } from '../../../core/money/usage.ts'
import type { Annotation, Opaque } from '../../../core/neutral/model-request.ts'
import type { PartHead, ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { parseKeepingText } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { describeMedia } from '../../fit/describe-media.ts'
import type { ReplyContext } from '../../translation.ts'
import { encodeAnnotation } from '../values/annotations.ts'
import { toolRules } from '../values/field-names.ts'
import { encodeFinish } from '../values/finish-reason.ts'
import { encodeOpaque } from '../values/opaque.ts'

export type DeltaKind = 'text' | 'thinking' | 'signature' | 'input'

/** The target of a message's blocks: a stream, or one object. */
export interface BlockSink {
  /** `usage` is the usage that is known before the first block. */
  start(usage: TokenUsage | undefined): void
  /** Blocks are opened and closed strictly one after another. */
  open(block: JsonObject): void
  add(kind: DeltaKind, text: string): void
  cite(citation: JsonObject): void
  close(): void
  end(finish: JsonObject, usage: TokenUsage | undefined): void
}

/** A block that contains only a token. */
interface KeptBlock {
  readonly block: JsonObject
  /** The text to add to the block. */
  readonly signature?: string
}

const emptyThoughts: JsonObject = { type: 'thinking', thinking: '', signature: '' }

const membersKept = new Set(['input', 'content'])

/**
 * Maps neutral events to blocks, for streams and for whole replies. A block is opened only when it has content, so that
 * no empty block is sent.
 */
export class BlockWriter {
  readonly #sink: BlockSink
  readonly #context: ReplyContext
  #head: PartHead | undefined
  #isOpen = false
  /** The reasoning has no signature yet. Its block stays open until the next part is known. */
  #isUnsigned = false
  /** Tokens without text. Their blocks are written only before another block; see #keep. */
  readonly #kept: KeptBlock[] = []
  #lastType: unknown
  #hasStarted = false
  #hasCalls = false
  #refusal: string | undefined
  #usage: TokenUsage | undefined

  constructor(sink: BlockSink, context: ReplyContext) {
    this.#sink = sink
    this.#context = context
  }

  write(event: Exclude<ReplyEvent, { type: 'fault' }>): void {
    const isAhead = event.type === 'reply-start' || event.type === 'usage'
    if (!this.#hasStarted && !isAhead) {
      this.#hasStarted = true
      this.#sink.start(this.#usage)
    }
    switch (event.type) {
      case 'part-delta':
        if (event.answer === 0 && event.text !== '') this.#add(event.text)
        break
      case 'part-start':
        if (event.answer === 0) this.#startPart(event.part)
        break
      case 'part-end':
        if (event.answer === 0) this.#endPart(event.opaque, event.annotations)
        break
      case 'usage':
        this.#usage = event.usage
        break
      case 'reply-end': {
        this.#endPart(undefined, undefined)
        this.#sign(undefined)
        if (this.#lastType !== 'text') this.#writeKept()
        const finish = event.finishes[0] ?? { reason: 'other', raw: undefined }
        const delivered = { hasCalls: this.#hasCalls, refusal: this.#refusal }
        this.#sink.end(encodeFinish(finish, delivered), this.#usage)
        break
      }
      case 'reply-start':
    }
  }

  #startPart(head: PartHead): void {
    this.#endPart(undefined, undefined)
    this.#head = head
    if (head.type === 'tool-call') {
      this.#hasCalls = true
      if (head.opaque) this.#addSignature(head.opaque)
      const id = this.#callId(head.id)
      this.#open({ type: 'tool_use', id, name: head.name, input: {}, caller: { type: 'direct' } })
      if (head.form === 'custom') this.#sink.add('input', '{"input":"')
    } else if (head.type === 'media') {
      this.#open({ type: 'text', text: '' })
      this.#sink.add('text', describeMedia(head))
    } else if (head.type === 'hosted' && head.protocol === 'messages') {
      this.#writeHosted(head.json)
    }
  }

  #open(block: JsonObject): void {
    this.#sign(undefined)
    this.#openBlock(block)
    this.#isOpen = true
  }

  #openBlock(block: JsonObject): void {
    this.#writeKept()
    this.#lastType = block['type']
    this.#sink.open(block)
  }

  /**
   * Clients take the last block for the answer, so a token after the last text is dropped: a stream has already sent
   * the text, and no vendor requires a token that no call depends on. Before another block the token is written.
   */
  #keep(kept: KeptBlock): void {
    this.#sign(undefined)
    this.#kept.push(kept)
  }

  #writeKept(): void {
    for (const { block, signature } of this.#kept.splice(0)) {
      this.#lastType = block['type']
      this.#sink.open(block)
      if (signature !== undefined) this.#sink.add('signature', signature)
      this.#sink.close()
    }
  }

  #add(text: string): void {
    switch (this.#head?.type) {
      case 'text':
        if (!this.#isOpen) this.#open({ type: 'text', text: '' })
        this.#sink.add('text', text)
        break
      case 'refusal':
        if (!this.#isOpen) this.#open({ type: 'text', text: '' })
        this.#refusal = (this.#refusal ?? '') + text
        this.#sink.add('text', text)
        break
      case 'reasoning':
        if (!this.#isOpen) this.#open(emptyThoughts)
        this.#sink.add('thinking', text)
        break
      case 'tool-call':
        // The free text of a custom tool becomes the only field of an object.
        this.#sink.add('input', this.#head.form === 'custom' ? escapeJson(text) : text)
        break
      case 'media':
      case 'hosted':
      case undefined:
    }
  }

  #endPart(opaque: Opaque | undefined, annotations: readonly Annotation[] | undefined): void {
    const head = this.#head
    if (!head) return
    this.#head = undefined
    if (head.type === 'reasoning') {
      this.#endReasoning(opaque)
      return
    }
    if (head.type === 'tool-call' && head.form === 'custom') this.#sink.add('input', '"}')
    if (!this.#isOpen) return
    for (const annotation of annotations ?? []) this.#sink.cite(encodeAnnotation(annotation))
    this.#sink.close()
    this.#isOpen = false
    if (head.type === 'text' && opaque) this.#signText(opaque)
  }

  /**
   * A vendor may sign text. It accepts the signature back but does not require it. The signature needs a reasoning
   * block, which a client that did not request reasoning does not expect, so only clients that requested reasoning get
   * it.
   */
  #signText(opaque: Opaque): void {
    const { reasoning } = this.#context.request
    if (!reasoning || reasoning.mode === 'off') return
    this.#keep({ block: { type: 'redacted_thinking', data: encodeOpaque(opaque) } })
  }

  /** Encrypted reasoning becomes a redacted block. A signature alone stands for hidden reasoning. */
  #endReasoning(opaque: Opaque | undefined): void {
    if (this.#isOpen) {
      this.#isOpen = false
      this.#isUnsigned = true
      if (opaque) this.#sign(opaque)
    } else if (opaque?.kind === 'sealed') {
      this.#keep({ block: { type: 'redacted_thinking', data: encodeOpaque(opaque) } })
    } else if (opaque) this.#addSignature(opaque)
  }

  /**
   * A signature on a call, or after the vendor's reasoning, becomes the signature of the reasoning block before it,
   * else of a reasoning block without text. Two blocks in a row would not work, because some clients merge them.
   */
  #addSignature(opaque: Opaque): void {
    if (this.#isUnsigned) this.#sign(opaque)
    else this.#keep({ block: emptyThoughts, signature: encodeOpaque(opaque) })
  }

  #sign(opaque: Opaque | undefined): void {
    if (!this.#isUnsigned) return
    this.#isUnsigned = false
    this.#sink.add('signature', encodeOpaque(opaque))
    this.#sink.close()
  }

  /** Some vendors' ids contain characters that this protocol does not accept back. */
  #callId(id: string): string {
    if (id === '') return this.#context.mint('toolu_')
    return toolRules.callIdPattern.test(id) ? id : id.replace(/[^a-zA-Z0-9_-]/g, '_')
  }

  #writeHosted(json: string): void {
    const block = parseKeepingText(json, membersKept)
    if (isObject(block)) this.#open(block)
  }
}

/** Text as the contents of a JSON string, without the quotes. */
function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
