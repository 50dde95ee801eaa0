import { descriptorsNow, type ListenerGate, openGate } from './listener-gate.ts'

const roundLimits = {
  /** When so many requests have begun in one round of the event loop, no more connections are accepted in it. */
  requestsMax: 32,
  /** So many requests of one connection are answered in one round: more have come in one piece. */
  ofOneConnectionMax: 16,
}

/** Counts what happens within a round. The end of one is looked for only when there is reason to. */
class RoundCount {
  readonly #watchedFrom: number
  readonly #onEnd: () => void
  #count = 0

  constructor(watchedFrom: number, onEnd: () => void = () => undefined) {
    this.#watchedFrom = watchedFrom
    this.#onEnd = onEnd
  }

  add(): number {
    this.#count += 1
    if (this.#count === this.#watchedFrom) setImmediate(() => this.#end())
    return this.#count
  }

  restart(): void {
    this.#count = 0
  }

  #end(): void {
    this.#count = 0
    this.#onEnd()
  }
}

export interface ConnectionName {
  readonly address: string
  readonly port: number
}

/**
 * The runtime accepts connections for as long as there are any, and answers the first requests of each right away: while
 * others connect faster than they are answered nothing else would be done. It also answers all that one connection has
 * sent in one piece. So both are done in portions.
 */
export class Rounds {
  readonly #openBefore = new Set(descriptorsNow())
  readonly #all = new RoundCount(roundLimits.requestsMax / 2, () => this.#gate?.open())
  readonly #ofOne = new RoundCount(roundLimits.ofOneConnectionMax / 2)
  #last: ConnectionName = { address: '', port: 0 }
  #openGate: (() => Promise<ListenerGate | undefined>) | undefined
  #gate: ListenerGate | undefined
  #isOver = false

  /** There is a listener now, and was none when this was made. */
  listening(port: number): void {
    const descriptors = descriptorsNow().filter((each) => !this.#openBefore.has(each))
    this.#openBefore.clear()
    this.#openGate = () => openGate(port, descriptors)
  }

  /** A request has come. False when it is the last one that this connection may have answered. */
  begin(connection: ConnectionName): boolean {
    if (this.#all.add() >= roundLimits.requestsMax) this.#shut()
    const { address, port } = connection
    if (port !== this.#last.port || address !== this.#last.address) {
      this.#last = connection
      this.#ofOne.restart()
    }
    return this.#ofOne.add() < roundLimits.ofOneConnectionMax
  }

  stop(): void {
    this.#isOver = true
    this.#gate?.release()
    this.#gate = undefined
  }

  #shut(): void {
    if (this.#gate) this.#gate.shut()
    else void this.#open()
  }

  /** Once: where there is none now there will be none. */
  async #open(): Promise<void> {
    const open = this.#openGate
    this.#openGate = undefined
    const gate = await open?.()
    if (this.#isOver) gate?.release()
    else this.#gate = gate
  }
}
