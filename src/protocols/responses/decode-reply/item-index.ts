import type { Annotation } from '../../../core/neutral/model-request.ts'
import type { PartSlot } from './part-queue.ts'

/** One output item while it arrives. */
export interface Item {
  isDone: boolean
  /** The parts of a message by their index. A call and a reasoning item have one part. */
  readonly slots: Map<number, PartSlot>
  readonly annotations: Map<number, Annotation[]>
  /** The form that the reasoning is read from, and the last summary part that was read. */
  thought: 'summary' | 'content' | undefined
  summaryIndex: number
}

/** The references in an event to its item. */
export interface ItemRef {
  /** `output_index`. */
  readonly index: number | undefined
  readonly id: string | undefined
}

/**
 * Finds the item of an event. Some servers omit the reasoning items when they number their last events, so an open item
 * is found by its id. Other servers give an item a new id with every event, so the index decides if the id is new.
 */
export class ItemIndex {
  readonly #byIndex = new Map<number, Item>()
  readonly #byId = new Map<string, Item>()

  find({ index, id }: ItemRef): Item | undefined {
    const named = id === undefined || id === '' ? undefined : this.#byId.get(id)
    if (named?.isDone === false) return named
    return (index === undefined ? undefined : this.#byIndex.get(index)) ?? named
  }

  /** For an item at its end. An item that has ended is not started again. */
  forWhole(ref: ItemRef): Item {
    return this.#keep(this.find(ref) ?? newItem(), ref)
  }

  /** For a piece of an item. A new index starts a new item, even if it repeats the id of another item. */
  forPiece(ref: ItemRef): Item {
    const { index } = ref
    const found = this.find(ref)
    const isOver = found?.isDone === true && index !== undefined && !this.#byIndex.has(index)
    return this.#keep(isOver ? newItem() : (found ?? newItem()), ref)
  }

  all(): Set<Item> {
    return new Set([...this.#byIndex.values(), ...this.#byId.values()])
  }

  #keep(item: Item, { index, id }: ItemRef): Item {
    if (index !== undefined && !this.#byIndex.has(index)) this.#byIndex.set(index, item)
    if (id !== undefined && id !== '') this.#byId.set(id, item)
    return item
  }
}

function newItem(): Item {
  return {
    isDone: false,
    slots: new Map(),
    annotations: new Map(),
    thought: undefined,
    summaryIndex: 0,
  }
}

/** A finished part, and the slots of the same message that its other finished parts have taken. */
export interface FinishedPart {
  readonly index: number
  readonly type: 'text' | 'refusal'
  readonly whole: string
  readonly taken: ReadonlySet<PartSlot>
  /** The number of parts of the message; undefined while unknown. */
  readonly count: number | undefined
}

/**
 * The slot with the pieces of a finished part. The part's index may differ from that of its pieces, so the text that
 * was sent decides: the client never gets the same text twice. Undefined when no piece has arrived.
 */
export function findSentSlot(item: Item, part: FinishedPart): PartSlot | undefined {
  const { index, type, whole, taken, count } = part
  const isSent = (state: PartSlot) =>
    state.head.type === type && state.sent.length > 0 && !taken.has(state)
  const there = item.slots.get(index)
  const own = there && isSent(there) ? there : undefined
  if (own?.sent.isStartOf(whole)) return own
  // In a message that arrived whole, every slot is taken and none needs a comparison.
  if (taken.size === item.slots.size) return undefined
  const sentSlots = firstSlots(item).filter(([, state]) => isSent(state))
  const moved = sentSlots.find(
    ([, { sent, state }]) =>
      sent.isStartOf(whole) && (count !== undefined || (own === undefined && state === 'open')),
  )
  if (moved) return moved[1]
  // Pieces that differ from the whole part were still sent.
  return own ?? sentSlots.find(([at]) => count !== undefined && at >= count)?.[1]
}

/** More parts than any server sends at other indexes. */
const comparedMax = 256

function firstSlots({ slots }: Item): [number, PartSlot][] {
  const first: [number, PartSlot][] = []
  for (const entry of slots) {
    if (first.length >= comparedMax) break
    first.push(entry)
  }
  return first
}

/** A free index for a part without pieces. */
export function freeIndex(item: Item, { index, type, taken }: FinishedPart): number {
  const own = item.slots.get(index)
  if (own === undefined || (own.head.type === type && !taken.has(own))) return index
  let last = 0
  for (const at of item.slots.keys()) last = Math.max(last, at)
  return last + 1
}

export function indexOf(item: Item, state: PartSlot): number {
  for (const [index, each] of item.slots) if (each === state) return index
  return 0
}
