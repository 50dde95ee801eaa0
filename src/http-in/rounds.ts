import { setTimeout as sleep } from 'node:timers/promises'
import { descriptorsNow, type ListenerGate, openGate } from './listener-gate.ts'

const roundLimits = {
  /** After this many requests in one round of the event loop, the listener accepts no more connections in the round. */
  requestsMax: 32,
  /**
   * One connection gets at most this many answers in one round. More requests arrive only if a client sends them in one
   * piece.
   */
  ofOneConnectionMax: 16,
}

/** Enough time to complete the handshakes that began before the kernel drops new ones. */
const handshakeMs = 200

/** Counts events within a round. The end of the round is watched only after `watchedFrom` events. */
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
 * The runtime accepts connections as long as any are waiting, and answers the first requests of each at once. While
 * clients connect faster than the gateway answers, no other work would be done. The runtime also answers all requests
 * that one connection sends in one piece. Rounds limit both.
 */
export class Rounds {
  readonly #openBefore = new Set(descriptorsNow())
  readonly #all = new RoundCount(roundLimits.requestsMax / 2, () => this.#gate?.open())
  readonly #ofOne = new RoundCount(roundLimits.ofOneConnectionMax / 2)
  #last: ConnectionName = { address: '', port: 0 }
  #openGate: (() => Promise<ListenerGate | undefined>) | undefined
  #gate: ListenerGate | undefined
  #isOver = false

  /** Call after the listener is open. The constructor must run before it is. */
  listening(port: number): void {
    const descriptors = descriptorsNow().filter((each) => !this.#openBefore.has(each))
    this.#openBefore.clear()
    this.#openGate = () => openGate(port, descriptors)
  }

  /** Counts a request. False if the connection must be closed after the answer to this request. */
  begin(connection: ConnectionName): boolean {
    if (this.#all.add() >= roundLimits.requestsMax) this.#shut()
    const { address, port } = connection
    if (port !== this.#last.port || address !== this.#last.address) {
      this.#last = connection
      this.#ofOne.restart()
    }
    return this.#ofOne.add() < roundLimits.ofOneConnectionMax
  }

  /** Stops accepting connections without resetting a connection that is waiting to be accepted. */
  async stopAccepting(): Promise<void> {
    if (!this.#gate) await this.#open()
    this.#gate?.dropHandshakes()
    await sleep(handshakeMs)
    this.#gate?.end()
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

  /** Tries once: a system that offers no gate now will not offer one later. */
  async #open(): Promise<void> {
    const open = this.#openGate
    this.#openGate = undefined
    const gate = await open?.()
    if (this.#isOver) gate?.release()
    else this.#gate = gate
  }
}
