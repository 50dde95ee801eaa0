import type { Annotation, Opaque } from '../../../core/neutral/model-request.ts'
import type { PartHead, ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { GrowingText } from '../../../core/runtime/growing-text.ts'
import { jsonTextOf, RawJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'
import { replyLimits } from '../../reply-limits.ts'
import { usageTraitsIn } from '../../reply-traits.ts'
import type { UpstreamContext } from '../../translation.ts'
import { readStreamFault } from '../faults.ts'
import { decodeAnnotation, decodeAnnotations } from '../values/annotations.ts'
import { decodeFinish } from '../values/finish-reason.ts'
import { UsageReports } from '../values/usage.ts'

/** A block that has begun. */
interface OpenBlock {
  readonly index: unknown
  readonly kind: 'text' | 'thinking' | 'tool_use' | 'hosted'
  readonly block: JsonObject
  /** Fragments of the arguments, joined. */
  readonly json: GrowingText
  opaqueData: string
  readonly opaqueKind: Opaque['kind']
  annotations: Annotation[]
}

const answer = 0

/**
 * Converts the events of a message to neutral events. A whole message takes the same steps, so there is one mapping.
 * Overlapping blocks, which only imitations of the API send, are put one after another.
 */
export class MessageReader {
  readonly #context: UpstreamContext
  readonly #reports: UsageReports
  #events: ReplyEvent[] = []
  #open: OpenBlock | undefined
  /** Events of blocks that began before the open block ended. */
  #waiting: JsonObject[] = []
  #hasStarted = false
  #hasEnded = false
  #hasCalls = false
  #finish: JsonObject = {}

  constructor(context: UpstreamContext) {
    this.#context = context
    this.#reports = new UsageReports(usageTraitsIn(context.replies, 'messages'))
  }

  /** The events since the last call of `take`. */
  take(): ReplyEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  read(type: unknown, event: JsonObject): void {
    if (this.#hasEnded) return
    switch (type) {
      case 'content_block_delta':
      case 'content_block_start':
      case 'content_block_stop':
        this.#readBlockEvent(type, event)
        break
      case 'message_start':
        this.#start(isObject(event['message']) ? event['message'] : {})
        break
      case 'message_delta':
        this.#start({})
        if (isObject(event['delta'])) this.#finish = { ...this.#finish, ...event['delta'] }
        this.#addUsage(event, false)
        break
      case 'message_stop':
        this.#end()
        break
      case 'error':
        this.fail(event)
        break
      default:
    }
  }

  /** Ends a message that has begun, as its last event would. */
  close(): void {
    if (this.#hasStarted && !this.#hasEnded) this.#end()
  }

  fail(event: unknown): void {
    this.#hasEnded = true
    this.#events.push({ type: 'fault', fault: readStreamFault(event) })
  }

  #start(message: JsonObject): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    const [id, model] = [stringAt(message, 'id'), stringAt(message, 'model')]
    this.#events.push({ type: 'reply-start', id, model })
    // The first report has the input tokens, before there is any output to pay for.
    this.#addUsage(message, true)
  }

  #addUsage(reply: JsonObject, isProvisional: boolean): void {
    const usage = this.#reports.addFrom(reply)
    if (usage) this.#events.push({ type: 'usage', usage, ...(isProvisional && { isProvisional }) })
  }

  #end(): void {
    this.#start({})
    // Blocks that are closed only here arrived before the last report.
    const { isBehind } = this.#reports.last
    while (this.#open) this.#closeBlock()
    this.#hasEnded = true
    const finish = decodeFinish(this.#finish, this.#hasCalls)
    this.#events.push({
      type: 'reply-end',
      finishes: [finish],
      ...(isBehind && { isUsageBehind: true }),
    })
  }

  #readBlockEvent(type: string, event: JsonObject): void {
    // A text block ends when another block follows, even without a stop event. Calls may truly overlap.
    const isLeft = this.#open?.kind === 'text' || this.#open?.kind === 'thinking'
    if (type === 'content_block_start' && isLeft) this.#closeBlock()
    const open = this.#open
    if (open && open.index !== event['index']) this.#waiting.push({ ...event, type })
    else if (type === 'content_block_delta') this.#readDelta(event)
    else if (type === 'content_block_stop') this.#closeBlock()
    else if (!open) this.#openBlock(event)
  }

  #openBlock(event: JsonObject): void {
    this.#start({})
    const block = isObject(event['content_block']) ? event['content_block'] : {}
    const open = (kind: OpenBlock['kind'], head: PartHead | undefined): void => {
      if (head) this.#events.push({ type: 'part-start', answer, part: head })
      this.#open = openBlock(event['index'], kind, block)
    }
    switch (block['type']) {
      case 'text':
        open('text', { type: 'text' })
        this.#addText(stringAt(block, 'text'))
        break
      case 'thinking':
        open('thinking', { type: 'reasoning' })
        this.#addText(stringAt(block, 'thinking'))
        break
      case 'redacted_thinking':
        open('thinking', { type: 'reasoning' })
        break
      case 'tool_use': {
        this.#hasCalls = true
        const reportedId = stringAt(block, 'id')
        const id =
          reportedId === undefined || reportedId === '' ? this.#context.mint('toolu_') : reportedId
        const name = stringAt(block, 'name') ?? ''
        open('tool_use', { type: 'tool-call', id, name, form: 'function' })
        break
      }
      default:
        open('hosted', undefined)
    }
  }

  #readDelta(event: JsonObject): void {
    const delta = event['delta']
    if (!isObject(delta)) return
    const open = this.#open ?? this.#openForDelta(event, delta)
    if (!open) return
    switch (delta['type']) {
      case 'text_delta':
        if (open.kind === 'text') this.#addText(stringAt(delta, 'text'))
        break
      case 'thinking_delta':
        if (open.kind === 'thinking') this.#addText(stringAt(delta, 'thinking'))
        break
      case 'input_json_delta': {
        const fragment = stringAt(delta, 'partial_json') ?? ''
        open.json.add(fragment)
        if (open.kind === 'tool_use') this.#addText(fragment)
        break
      }
      case 'signature_delta':
        open.opaqueData += stringAt(delta, 'signature') ?? ''
        break
      case 'citations_delta': {
        const annotation = decodeAnnotation(delta['citation'])
        const hasRoom = open.annotations.length <= replyLimits.sources
        if (annotation && hasRoom) open.annotations.push(annotation)
        break
      }
      default:
        if (open.kind === 'hosted')
          Object.assign(open.block, { ...delta, type: open.block['type'] })
    }
  }

  /** Some imitations send deltas of a block that they never started. */
  #openForDelta(event: JsonObject, delta: JsonObject): OpenBlock | undefined {
    const type = stringAt(delta, 'text') ? 'text' : stringAt(delta, 'thinking') && 'thinking'
    if (!type) return undefined
    this.#openBlock({ index: event['index'], content_block: { type } })
    return this.#open
  }

  #addText(text: string | undefined): void {
    if (!text) return
    this.#events.push({ type: 'part-delta', answer, text })
    this.#reports.last.note(undefined, true)
  }

  #closeBlock(): void {
    const open = this.#open
    if (!open) return
    this.#open = undefined
    this.#closePart(open)
    const waiting = this.#waiting
    this.#waiting = []
    for (const event of waiting) this.#readBlockEvent(String(event['type']), event)
  }

  #closePart(open: OpenBlock): void {
    if (open.kind === 'hosted') {
      const part = { type: 'hosted', protocol: 'messages', json: hostedJson(open) } as const
      this.#events.push({ type: 'part-start', answer, part })
    }
    // A call without arguments has no fragments, or its start contains them all.
    if (open.kind === 'tool_use' && open.json.length === 0) this.#addText(inputText(open.block))
    this.#events.push({ type: 'part-end', answer, ...this.#ending(open) })
  }

  #ending({ kind, opaqueData, opaqueKind, annotations }: OpenBlock) {
    if (kind === 'thinking' && opaqueData !== '') {
      return { opaque: { issuer: this.#context.issuer, kind: opaqueKind, data: opaqueData } }
    }
    return kind === 'text' && annotations.length > 0 ? { annotations } : {}
  }
}

function openBlock(index: unknown, kind: OpenBlock['kind'], block: JsonObject): OpenBlock {
  const isRedacted = block['type'] === 'redacted_thinking'
  return {
    index,
    kind,
    block,
    json: new GrowingText(),
    opaqueData: stringAt(block, isRedacted ? 'data' : 'signature') ?? '',
    opaqueKind: isRedacted ? 'sealed' : 'signature',
    annotations: kind === 'text' ? decodeAnnotations(block['citations']) : [],
  }
}

function inputText(block: JsonObject): string {
  const input = block['input'] ?? {}
  return input instanceof RawJson || isObject(input) ? jsonTextOf(input) : '{}'
}

function hostedJson({ block, json }: OpenBlock): string {
  return jsonTextOf(json.length === 0 ? block : { ...block, input: new RawJson(json.toString()) })
}
