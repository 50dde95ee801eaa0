import { type CallSegment, isComplete } from './segments.ts'

/** Of calls that an upstream gives the same place, how many are looked at for the one that a piece belongs to. */
const lookBackMax = 16

/** Which call a piece belongs to, found without looking at every call of the reply. */
export class CallIndex {
  readonly #byPlace = new Map<number, CallSegment[]>()
  readonly #byId = new Map<string, CallSegment>()
  #last: CallSegment | undefined
  #count = 0

  get count(): number {
    return this.#count
  }

  add(call: CallSegment): void {
    this.#count += 1
    this.#last = call
    if (call.place === undefined) return
    const known = this.#byPlace.get(call.place)
    if (!known) this.#byPlace.set(call.place, [call])
    else {
      if (known.length >= lookBackMax) known.shift()
      known.push(call)
    }
  }

  /** The call has got its id. */
  name(call: CallSegment): void {
    if (call.id !== '') this.#byId.set(call.id, call)
  }

  drop(call: CallSegment): void {
    this.#count -= 1
    if (this.#last === call) this.#last = undefined
    if (this.#byId.get(call.id) === call) this.#byId.delete(call.id)
  }

  /**
   * By place, else by id, else the last one. Some servers give every call the same place: another id, or a name
   * after whole arguments, is another call.
   */
  find(place: number | undefined, id: string, name: string): CallSegment | undefined {
    const isSame = (call: CallSegment): boolean => {
      if (id !== '' && call.id !== '' && id !== call.id && name !== '') return false
      return name === '' || (id !== '' && id === call.id) || !isComplete(call)
    }
    if (place !== undefined) return this.#byPlace.get(place)?.findLast(isSame)
    if (id !== '') return this.#byId.get(id)
    return name === '' ? this.#last : undefined
  }
}
