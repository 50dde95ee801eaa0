import type { TokenUsage } from '../../../core/money/usage.ts'
import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { jsonTextOf, RawJson, writeJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { onOneLine } from '../../../wire/on-one-line.ts'
import type { EventEncoder, ReplyContext } from '../../translation.ts'
import { encodeFaultEvent } from '../faults.ts'
import { encodeUsage } from '../values/usage.ts'
import { estimateUsage, openMessage } from './open-message.ts'
import { type BlockSink, BlockWriter, type DeltaKind } from './part-writer.ts'

export function openEncoder(context: ReplyContext): EventEncoder {
  const sink = new StreamSink(context)
  const writer = new BlockWriter(sink, context)
  const push = (event: ReplyEvent): string => {
    if (event.type === 'fault') return encodeFaultEvent(event.fault, context.requestId)
    writer.write(event)
    return sink.take()
  }
  return { push }
}

const deltas: Readonly<Record<DeltaKind, string>> = {
  text: '{"type":"text_delta","text":',
  thinking: '{"type":"thinking_delta","thinking":',
  signature: '{"type":"signature_delta","signature":',
  input: '{"type":"input_json_delta","partial_json":',
}

/** Writes a message as a stream, always with `event:` lines, because clients read the event name only from them. */
class StreamSink implements BlockSink {
  readonly #context: ReplyContext
  #text = ''
  #index = -1
  #deltaStart = ''
  #characters = 0

  constructor(context: ReplyContext) {
    this.#context = context
  }

  take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  start(usage: TokenUsage | undefined): void {
    const message = openMessage(this.#context, usage)
    this.#write('message_start', `{"type":"message_start","message":${writeJson(message)}}`)
  }

  open(block: JsonObject): void {
    this.#index += 1
    this.#deltaStart = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},"delta":`
    const { start, input } = withoutInput(block)
    this.#write(
      'content_block_start',
      `{"type":"content_block_start","index":${this.#index},"content_block":${onOneLine(writeJson(start))}}`,
    )
    if (input !== undefined) this.add('input', input)
  }

  add(kind: DeltaKind, text: string): void {
    this.#characters += text.length
    this.#text += `${this.#deltaStart + deltas[kind] + JSON.stringify(text)}}}\n\n`
  }

  cite(citation: JsonObject): void {
    this.#text += `${this.#deltaStart}{"type":"citations_delta","citation":${JSON.stringify(citation)}}}\n\n`
  }

  close(): void {
    this.#write('content_block_stop', `{"type":"content_block_stop","index":${this.#index}}`)
  }

  end(finish: JsonObject, usage: TokenUsage | undefined): void {
    const finalUsage = usage ?? estimateUsage(this.#context, this.#characters)
    const event = { type: 'message_delta', delta: finish, usage: encodeUsage(finalUsage) }
    this.#write('message_delta', JSON.stringify(event))
    this.#write('message_stop', '{"type":"message_stop"}')
  }

  #write(name: string, data: string): void {
    this.#text += `event: ${name}\ndata: ${data}\n\n`
  }
}

/** The start of a block never contains the input, even if the block is already complete. */
function withoutInput(block: JsonObject): { start: JsonObject; input: string | undefined } {
  const { input } = block
  const isKept = input instanceof RawJson || (isObject(input) && Object.keys(input).length > 0)
  return isKept
    ? { start: { ...block, input: {} }, input: jsonTextOf(input) }
    : { start: block, input: undefined }
}
