import type { Annotation } from '../../../core/neutral/model-request.ts'
import type { TokenLogprob } from '../../../core/neutral/reply-event.ts'
import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'
import { base64Source } from '../../media-source.ts'
import { replyLimits } from '../../reply-limits.ts'
import { type UsageTraits, usageTraitsIn } from '../../reply-traits.ts'
import type { UpstreamContext } from '../../translation.ts'
import { decodeAnnotations } from '../values/annotations.ts'
import { decodeLogprobs } from '../values/logprobs.ts'
import { reasoningText } from '../values/reasoning-item.ts'
import { textOfItem } from '../values/reply-text.ts'
import {
  type FinishedPart,
  findSentSlot,
  freeIndex,
  type Item,
  ItemIndex,
  type ItemRef,
  indexOf,
} from './item-index.ts'
import { PartQueue, type PartSlot } from './part-queue.ts'

/** Decodes output items, in pieces or whole, to neutral parts. */
export class OutputReader {
  readonly queue = new PartQueue()
  /** The upstream's usage traits, for the end of the reply. */
  readonly usageTraits: UsageTraits
  readonly #context: UpstreamContext
  readonly #items = new ItemIndex()
  hasCall = false
  hasRefusal = false

  constructor(context: UpstreamContext) {
    this.#context = context
    this.usageTraits = usageTraitsIn(context.replies, 'responses')
  }

  /** A call begins as soon as its name and id are known. Any other item begins with its first text. */
  itemAdded(ref: ItemRef, item: JsonObject): void {
    if (!isCall(item) || !stringAt(item, 'name') || !stringAt(item, 'call_id')) return
    this.queue.open(this.#callSlot(this.#items.forPiece(ref), item))
  }

  text(ref: ItemRef, index: number, text: string, logprobs?: TokenLogprob[]): void {
    this.queue.append(this.#contentSlot(this.#items.forPiece(ref), index, 'text'), text, logprobs)
  }

  refusal(ref: ItemRef, index: number, text: string): void {
    this.queue.append(this.#contentSlot(this.#items.forPiece(ref), index, 'refusal'), text)
  }

  annotation(ref: ItemRef, index: number, annotations: readonly Annotation[]): void {
    const item = this.#items.forPiece(ref)
    const known = item.annotations.get(index) ?? []
    if (known.length <= replyLimits.sources) known.push(...annotations)
    item.annotations.set(index, known)
  }

  /** Pieces of a call that has not begun are dropped, because the end of the call repeats them. */
  callText(ref: ItemRef, text: string): void {
    const slot = this.#items.forPiece(ref).slots.get(0)
    if (slot?.head.type === 'tool-call') this.queue.append(slot, text)
  }

  callWhole(ref: ItemRef, text: string | undefined): void {
    const slot = this.#items.forPiece(ref).slots.get(0)
    if (slot?.head.type === 'tool-call') this.queue.complete(slot, text)
  }

  /** The parts of a summary become one reasoning part. Of two forms of the same reasoning, only the first counts. */
  thought(ref: ItemRef, form: 'summary' | 'content', index: number, text: string): void {
    const item = this.#items.forPiece(ref)
    item.thought ??= form
    if (item.thought !== form || text === '') return
    const state = this.#state(item, 0, { type: 'reasoning' })
    const isNextPart = state.sent.length > 0 && index > item.summaryIndex
    item.summaryIndex = index
    this.queue.append(state, isNextPart ? `\n\n${text}` : text)
  }

  contentDone(ref: ItemRef, index: number, part: JsonObject): void {
    this.#partDone(this.#items.forPiece(ref), index, part, new Set(), undefined)
  }

  /** `readJson` returns the exact text of the item, which only a hosted tool needs. */
  itemDone(ref: ItemRef, value: JsonObject, readJson: () => string): void {
    const item = this.#items.forWhole(ref)
    if (item.isDone) return
    item.isDone = true
    if (value['type'] === 'message') this.#messageDone(item, value)
    else if (value['type'] === 'reasoning') this.#reasoningDone(item, value)
    else if (isCall(value)) this.#callDone(item, value)
    else this.#hostedDone(value, readJson)
    for (const state of item.slots.values()) this.queue.end(state)
  }

  /** The whole response repeats its items. Items that arrived in pieces may have other indexes there. */
  lastItems(values: readonly unknown[], readJson: (index: number) => string): void {
    const unmatched = new UnmatchedSlots(this.#items.all())
    for (const [index, value] of values.entries()) {
      if (!isObject(value)) continue
      const ref = { index, id: stringAt(value, 'id') }
      const item = this.#items.find(ref)
      const isSame = item !== undefined && isOfKind(item, value)
      if (isSame || !unmatched.take(value))
        this.itemDone(item && !isSame ? noRef : ref, value, () => readJson(index))
    }
  }

  #messageDone(item: Item, value: JsonObject): void {
    const content = value['content']
    const parts = typeof content === 'string' ? [{ text: content }] : content
    if (!Array.isArray(parts)) return
    const taken = new Set<PartSlot>()
    for (const [index, part] of parts.entries()) {
      if (isObject(part)) this.#partDone(item, index, part, taken, parts.length)
    }
  }

  #partDone(
    item: Item,
    index: number,
    part: JsonObject,
    taken: Set<PartSlot>,
    count: number | undefined,
  ): void {
    if (part['type'] === 'reasoning_text') return
    const type = part['type'] === 'refusal' ? 'refusal' : 'text'
    const whole = stringAt(part, type) ?? ''
    const finished: FinishedPart = { index, type, whole, taken, count }
    const sentSlot = findSentSlot(item, finished)
    const state = sentSlot ?? this.#contentSlot(item, freeIndex(item, finished), type)
    taken.add(state)
    this.queue.complete(
      state,
      whole,
      type === 'text' ? decodeLogprobs(part['logprobs']) : undefined,
    )
    const annotations = decodeAnnotations(part['annotations'])
    const noted = item.annotations.size === 0 ? undefined : notedOf(item, index, state)
    this.queue.end(state, undefined, annotations.length > 0 ? annotations : noted)
  }

  #reasoningDone(item: Item, value: JsonObject): void {
    const state = this.#state(item, 0, { type: 'reasoning' })
    if (state.sent.length === 0) this.queue.append(state, reasoningText(value))
    const data = stringAt(value, 'encrypted_content')
    if (data === undefined || data === '') return
    this.queue.open(state)
    this.queue.end(state, { issuer: this.#context.issuer, kind: 'sealed', data })
  }

  #callDone(item: Item, value: JsonObject): void {
    const state = this.#callSlot(item, value)
    this.queue.open(state)
    const text = value[value['type'] === 'custom_tool_call' ? 'input' : 'arguments']
    const whole = isObject(text) ? JSON.stringify(text) : text
    this.queue.complete(state, typeof whole === 'string' ? whole : undefined)
  }

  #hostedDone(value: JsonObject, readJson: () => string): void {
    const data = stringAt(value, 'result')
    const isImage = value['type'] === 'image_generation_call' && data !== undefined
    const state = this.queue.newSlot(
      isImage
        ? {
            type: 'media',
            mime: `image/${stringAt(value, 'output_format') ?? 'png'}`,
            source: base64Source(data),
          }
        : { type: 'hosted', protocol: 'responses', json: readJson() },
    )
    this.queue.open(state)
    this.queue.end(state)
  }

  #callSlot(item: Item, value: JsonObject): PartSlot {
    this.hasCall = true
    const namespace = stringAt(value, 'namespace')
    return (
      item.slots.get(0) ??
      this.#state(item, 0, {
        type: 'tool-call',
        id: stringAt(value, 'call_id') ?? this.#context.mint('call_'),
        name: stringAt(value, 'name') ?? '',
        form: value['type'] === 'custom_tool_call' ? 'custom' : 'function',
        ...(namespace === undefined ? {} : { namespace }),
      })
    )
  }

  #contentSlot(item: Item, index: number, type: 'text' | 'refusal'): PartSlot {
    if (type === 'refusal') this.hasRefusal = true
    return this.#state(item, index, { type })
  }

  #state(item: Item, index: number, head: PartSlot['head']): PartSlot {
    const known = item.slots.get(index)
    if (known) return known
    const state = this.queue.newSlot(head)
    item.slots.set(index, state)
    return state
  }
}

function notedOf(item: Item, index: number, state: PartSlot): Annotation[] | undefined {
  return item.annotations.get(index) ?? item.annotations.get(indexOf(item, state))
}

function isCall(item: JsonObject): boolean {
  return item['type'] === 'function_call' || item['type'] === 'custom_tool_call'
}

/** The reference of an item whose index another item has taken. */
const noRef: ItemRef = { index: undefined, id: undefined }

/** Whether the received pieces of an item can belong to this item. */
function isOfKind({ slots }: Item, value: JsonObject): boolean {
  const kinds = isCall(value) ? ['tool-call'] : (kindsOfItems[stringAt(value, 'type') ?? ''] ?? [])
  for (const { head } of slots.values()) if (!kinds.includes(head.type)) return false
  return true
}

const kindsOfItems: Readonly<Record<string, readonly string[]>> = {
  message: ['text', 'refusal'],
  reasoning: ['reasoning'],
}

/** The parts that arrived in pieces, by their text or call in the whole response. Each is repeated once. */
class UnmatchedSlots {
  readonly #slots = new Map<string, number>()

  constructor(items: Iterable<Item>) {
    for (const item of items) {
      for (const { head, sent } of item.slots.values()) {
        const key =
          head.type === 'tool-call' ? `call ${head.id}` : `${head.type} ${sent.toString()}`
        if (head.type === 'tool-call' || sent.length > 0)
          this.#slots.set(key, (this.#slots.get(key) ?? 0) + 1)
      }
    }
  }

  /** Whether the item has the same text, or is the same call, as one of the parts. */
  take(value: JsonObject): boolean {
    const key = keyOfItem(value)
    const count = key === undefined ? 0 : (this.#slots.get(key) ?? 0)
    if (key !== undefined && count > 0) this.#slots.set(key, count - 1)
    return count > 0
  }
}

function keyOfItem(value: JsonObject): string | undefined {
  if (isCall(value)) {
    const id = stringAt(value, 'call_id')
    return id === undefined ? undefined : `call ${id}`
  }
  if (value['type'] === 'message') return `text ${textOfItem(value)}`
  return value['type'] === 'reasoning' ? `reasoning ${reasoningText(value)}` : undefined
}
