import type { Annotation } from '../../core/model-request.ts'
import type { PartSlot } from './part-queue.ts'

/** One output item while it comes in. */
export interface Item {
  isDone: boolean
  /** The parts of a message by their index; a call and a thought have one. */
  readonly slots: Map<number, PartSlot>
  readonly annotations: Map<number, Annotation[]>
  /** Which of its two forms the thought is read from, and the summary part that was read last. */
  thought: 'summary' | 'content' | undefined
  summaryIndex: number
}

/** What an event says about the item that it belongs to. */
export interface ItemRef {
  /** `output_index`. */
  readonly place: number | undefined
  readonly id: string | undefined
}

/**
 * Finds the item that an event belongs to. Some servers count the places of their last events without the thoughts
 * before them, so an open item is found by its id; others give an item another id with every event, so the place
 * counts where the id is new.
 */
export class ItemBook {
  readonly #byPlace = new Map<number, Item>()
  readonly #byId = new Map<string, Item>()

  find({ place, id }: ItemRef): Item | undefined {
    const named = id === undefined || id === '' ? undefined : this.#byId.get(id)
    if (named?.isDone === false) return named
    return (place === undefined ? undefined : this.#byPlace.get(place)) ?? named
  }

  /** For an item at its end. One that is over is not begun again. */
  forWhole(ref: ItemRef): Item {
    return this.#keep(this.find(ref) ?? newItem(), ref)
  }

  /** For a piece of an item. At a new place a new one begins, even if the id of another is used again. */
  forPiece(ref: ItemRef): Item {
    const { place } = ref
    const found = this.find(ref)
    const isOver = found?.isDone === true && place !== undefined && !this.#byPlace.has(place)
    return this.#keep(isOver ? newItem() : (found ?? newItem()), ref)
  }

  all(): Set<Item> {
    return new Set([...this.#byPlace.values(), ...this.#byId.values()])
  }

  #keep(item: Item, { place, id }: ItemRef): Item {
    if (place !== undefined && !this.#byPlace.has(place)) this.#byPlace.set(place, item)
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

/** A part that has finished, and those of the same message that others of its finished parts belong to. */
export interface FinishedPart {
  readonly index: number
  readonly type: 'text' | 'refusal'
  readonly whole: string
  readonly taken: ReadonlySet<PartSlot>
  /** How many parts the message has; undefined while that is not known. */
  readonly count: number | undefined
}

/**
 * The pieces of a part that has finished. Its index may differ from that of its pieces, so what has been told decides:
 * nothing that the caller has read is told a second time. Undefined when nothing of it has come.
 */
export function findTold(item: Item, part: FinishedPart): PartSlot | undefined {
  const { index, type, whole, taken, count } = part
  const isTold = (state: PartSlot) =>
    state.head.type === type && state.sent.length > 0 && !taken.has(state)
  const there = item.slots.get(index)
  const own = there && isTold(there) ? there : undefined
  if (own?.sent.isStartOf(whole)) return own
  // Every slot of a message that came whole is taken, and none of them has to be looked at.
  if (taken.size === item.slots.size) return undefined
  const told = firstSlots(item).filter(([, state]) => isTold(state))
  const moved = told.find(
    ([, { sent, state }]) =>
      sent.isStartOf(whole) && (count !== undefined || (own === undefined && state === 'open')),
  )
  if (moved) return moved[1]
  // Pieces that differ from the whole have been told all the same.
  return own ?? told.find(([at]) => count !== undefined && at >= count)?.[1]
}

/** No server has so many parts at other places. */
const comparedMax = 256

function firstSlots({ slots }: Item): [number, PartSlot][] {
  const first: [number, PartSlot][] = []
  for (const entry of slots) {
    if (first.length >= comparedMax) break
    first.push(entry)
  }
  return first
}

/** Where a part of which nothing has come may stand. */
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
