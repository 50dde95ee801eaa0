import { type CallSegment, isComplete } from './segments.ts'

/** If an upstream gives several calls the same index, this many are searched for the call of a piece. */
const lookBackMax = 16

/** Finds the call that a piece belongs to without visiting every call of the reply. */
export class CallIndex {
  readonly #byIndex = new Map<number, CallSegment[]>()
  readonly #byId = new Map<string, CallSegment>()
  #last: CallSegment | undefined
  #count = 0

  get count(): number {
    return this.#count
  }

  add(call: CallSegment): void {
    this.#count += 1
    this.#last = call
    if (call.index === undefined) return
    const known = this.#byIndex.get(call.index)
    if (!known) this.#byIndex.set(call.index, [call])
    else {
      if (known.length >= lookBackMax) known.shift()
      known.push(call)
    }
  }

  /** Registers the id of the call. */
  name(call: CallSegment): void {
    if (call.id !== '') this.#byId.set(call.id, call)
  }

  drop(call: CallSegment): void {
    this.#count -= 1
    if (this.#last === call) this.#last = undefined
    if (this.#byId.get(call.id) === call) this.#byId.delete(call.id)
  }

  /**
   * Finds the call by index, else by id, else takes the last call. Some servers give every call the same index, so a
   * different id, or a name after complete arguments, starts another call.
   */
  find(index: number | undefined, id: string, name: string): CallSegment | undefined {
    const isSame = (call: CallSegment): boolean => {
      if (id !== '' && call.id !== '' && id !== call.id && name !== '') return false
      return name === '' || (id !== '' && id === call.id) || !isComplete(call)
    }
    if (index !== undefined) return this.#byIndex.get(index)?.findLast(isSame)
    if (id !== '') return this.#byId.get(id)
    return name === '' ? this.#last : undefined
  }
}
