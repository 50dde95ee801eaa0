import type { Annotation } from '../../core/model-request.ts'
import type { TokenLogprob } from '../../core/reply-event.ts'
import { isObject, type JsonObject, stringAt } from '../../wire/json.ts'
import { base64Source } from '../media-source.ts'
import type { UpstreamContext } from '../translation.ts'
import { decodeAnnotations } from './annotations.ts'
import { reasoningText } from './decode-reasoning.ts'
import { decodeLogprobs } from './logprobs.ts'
import { PartQueue, type Slot } from './part-queue.ts'

/** One output item while it comes in. */
interface Item {
  isDone: boolean
  /** The parts of a message by their index; a call and a thought have one. */
  readonly slots: Map<number, Slot>
  readonly annotations: Map<number, Annotation[]>
  /** Which of its two forms the thought is read from, and the summary part that was read last. */
  thought: 'summary' | 'content' | undefined
  summaryIndex: number
}

type Key = number | string

/** Output items, in pieces or whole, as neutral parts. */
export class OutputDecoder {
  readonly queue = new PartQueue()
  readonly #context: UpstreamContext
  readonly #items = new Map<Key, Item>()
  readonly #doneIds = new Set<string>()
  hasCall = false
  hasRefusal = false

  constructor(context: UpstreamContext) {
    this.#context = context
  }

  /** A call begins as soon as its name and id are known; everything else begins with its first word. */
  itemAdded(key: Key, item: JsonObject): void {
    if (!isCall(item) || !stringAt(item, 'name') || !stringAt(item, 'call_id')) return
    this.queue.open(this.#callSlot(this.#item(key), item))
  }

  text(key: Key, index: number, text: string, logprobs?: TokenLogprob[]): void {
    this.queue.append(this.#contentSlot(this.#item(key), index, 'text'), text, logprobs)
  }

  refusal(key: Key, index: number, text: string): void {
    this.queue.append(this.#contentSlot(this.#item(key), index, 'refusal'), text)
  }

  annotation(key: Key, index: number, annotations: readonly Annotation[]): void {
    const item = this.#item(key)
    item.annotations.set(index, [...(item.annotations.get(index) ?? []), ...annotations])
  }

  /** Pieces of a call that has not begun are left to its end, which repeats them. */
  callText(key: Key, text: string): void {
    const slot = this.#item(key).slots.get(0)
    if (slot?.head.type === 'tool-call') this.queue.append(slot, text)
  }

  callWhole(key: Key, text: string | undefined): void {
    const slot = this.#item(key).slots.get(0)
    if (slot?.head.type === 'tool-call') this.queue.complete(slot, text)
  }

  /** The parts of a summary become one thought. Of two forms of the same thought only the first counts. */
  thought(key: Key, form: 'summary' | 'content', index: number, text: string): void {
    const item = this.#item(key)
    item.thought ??= form
    if (item.thought !== form || text === '') return
    const slot = this.#slot(item, 0, { type: 'reasoning' })
    const isNextPart = slot.sent !== '' && index > item.summaryIndex
    item.summaryIndex = index
    this.queue.append(slot, isNextPart ? `\n\n${text}` : text)
  }

  contentDone(key: Key, index: number, part: JsonObject): void {
    const item = this.#item(key)
    if (part['type'] === 'refusal') {
      const slot = this.#contentSlot(item, index, 'refusal')
      this.queue.complete(slot, stringAt(part, 'refusal'))
      this.queue.end(slot)
    } else if (part['type'] !== 'reasoning_text') {
      const slot = this.#contentSlot(item, index, 'text')
      this.queue.complete(slot, stringAt(part, 'text'), decodeLogprobs(part['logprobs']))
      const told = decodeAnnotations(part['annotations'])
      this.queue.end(slot, undefined, told.length > 0 ? told : item.annotations.get(index))
    }
  }

  /** `readJson` gives the item's exact text, which only a tool of the vendor's own needs. */
  itemDone(key: Key, value: JsonObject, readJson: () => string): void {
    const item = this.#item(key)
    if (item.isDone) return
    item.isDone = true
    const id = stringAt(value, 'id')
    if (id !== undefined) this.#doneIds.add(id)
    if (value['type'] === 'message') this.#messageDone(key, value)
    else if (value['type'] === 'reasoning') this.#reasoningDone(item, value)
    else if (isCall(value)) this.#callDone(item, value)
    else this.#hostedDone(value, readJson)
    for (const slot of item.slots.values()) this.queue.end(slot)
  }

  /** Whether an item of the last event has already come in pieces. */
  isKnown(key: Key, value: JsonObject): boolean {
    const id = stringAt(value, 'id')
    return this.#items.get(key)?.isDone === true || (id !== undefined && this.#doneIds.has(id))
  }

  #messageDone(key: Key, value: JsonObject): void {
    const content = value['content']
    if (typeof content === 'string') this.contentDone(key, 0, { text: content })
    if (!Array.isArray(content)) return
    for (const [index, part] of content.entries()) {
      if (isObject(part)) this.contentDone(key, index, part)
    }
  }

  #reasoningDone(item: Item, value: JsonObject): void {
    const slot = this.#slot(item, 0, { type: 'reasoning' })
    if (slot.sent === '') this.queue.append(slot, reasoningText(value))
    const data = stringAt(value, 'encrypted_content')
    if (data === undefined || data === '') return
    this.queue.open(slot)
    this.queue.end(slot, { issuer: this.#context.issuer, kind: 'sealed', data })
  }

  #callDone(item: Item, value: JsonObject): void {
    const slot = this.#callSlot(item, value)
    this.queue.open(slot)
    const text = value[value['type'] === 'custom_tool_call' ? 'input' : 'arguments']
    const whole = isObject(text) ? JSON.stringify(text) : text
    this.queue.complete(slot, typeof whole === 'string' ? whole : undefined)
  }

  #hostedDone(value: JsonObject, readJson: () => string): void {
    const data = stringAt(value, 'result')
    const isImage = value['type'] === 'image_generation_call' && data !== undefined
    const slot = this.queue.newSlot(
      isImage
        ? {
            type: 'media',
            mime: `image/${stringAt(value, 'output_format') ?? 'png'}`,
            source: base64Source(data),
          }
        : { type: 'hosted', protocol: 'responses', json: readJson() },
    )
    this.queue.open(slot)
    this.queue.end(slot)
  }

  #callSlot(item: Item, value: JsonObject): Slot {
    this.hasCall = true
    const namespace = stringAt(value, 'namespace')
    return (
      item.slots.get(0) ??
      this.#slot(item, 0, {
        type: 'tool-call',
        id: stringAt(value, 'call_id') ?? this.#context.mint('call_'),
        name: stringAt(value, 'name') ?? '',
        form: value['type'] === 'custom_tool_call' ? 'custom' : 'function',
        ...(namespace === undefined ? {} : { namespace }),
      })
    )
  }

  #contentSlot(item: Item, index: number, type: 'text' | 'refusal'): Slot {
    if (type === 'refusal') this.hasRefusal = true
    return this.#slot(item, index, { type })
  }

  #slot(item: Item, index: number, head: Slot['head']): Slot {
    const known = item.slots.get(index)
    if (known) return known
    const slot = this.queue.newSlot(head)
    item.slots.set(index, slot)
    return slot
  }

  #item(key: Key): Item {
    const known = this.#items.get(key)
    if (known) return known
    const item: Item = {
      isDone: false,
      slots: new Map(),
      annotations: new Map(),
      thought: undefined,
      summaryIndex: 0,
    }
    this.#items.set(key, item)
    return item
  }
}

function isCall(item: JsonObject): boolean {
  return item['type'] === 'function_call' || item['type'] === 'custom_tool_call'
}
