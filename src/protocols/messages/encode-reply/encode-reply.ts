import type { TokenUsage } from '../../../core/money/usage.ts'
import type { JsonText } from '../../../core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { writeJson } from '../../../wire/exact-json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { ReplyContext } from '../../translation.ts'
import { encodeArguments } from '../values/call-arguments.ts'
import { encodeUsage } from '../values/usage.ts'
import { estimateUsage, openMessage } from './open-message.ts'
import { type BlockSink, BlockWriter, type DeltaKind } from './part-writer.ts'

export function encodeReply(events: readonly ReplyEvent[], context: ReplyContext): JsonText {
  const sink = new WholeSink(context)
  const writer = new BlockWriter(sink, context)
  for (const event of events) if (event.type !== 'fault') writer.write(event)
  return sink.json()
}

class WholeSink implements BlockSink {
  readonly #context: ReplyContext
  readonly #content: JsonObject[] = []
  #block: JsonObject = {}
  #texts: Partial<Record<DeltaKind, string>> = {}
  #citations: JsonObject[] = []
  #characters = 0
  #message: JsonObject = {}
  #end: JsonObject = {}

  constructor(context: ReplyContext) {
    this.#context = context
  }

  json(): string {
    return writeJson({ ...this.#message, content: this.#content, ...this.#end })
  }

  start(usage: TokenUsage | undefined): void {
    this.#message = openMessage(this.#context, usage)
  }

  open(block: JsonObject): void {
    this.#block = { ...block }
    this.#texts = {}
    this.#citations = []
  }

  add(kind: DeltaKind, text: string): void {
    this.#characters += text.length
    this.#texts[kind] = (this.#texts[kind] ?? '') + text
  }

  cite(citation: JsonObject): void {
    this.#citations.push(citation)
  }

  close(): void {
    const { input, ...texts } = this.#texts
    const block: JsonObject = { ...this.#block, ...texts }
    const isCall = block['type'] === 'tool_use'
    this.#content.push({
      ...block,
      ...(isCall ? { input: encodeArguments(input ?? '').value } : {}),
      ...(this.#citations.length > 0 ? { citations: this.#citations } : {}),
    })
  }

  end(finish: JsonObject, usage: TokenUsage | undefined): void {
    const finalUsage = usage ?? estimateUsage(this.#context, this.#characters)
    this.#end = { ...finish, usage: encodeUsage(finalUsage) }
  }
}
