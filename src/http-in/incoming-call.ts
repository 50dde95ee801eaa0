import type { Arrival } from '../core/network/arrival.ts'
import type { Call } from '../gateway/call.ts'
import { type BodyBudget, BodyShare } from './body-budget.ts'
import type { BodyReader } from './body-reader.ts'

export interface CallFacts {
  readonly requestId: string
  readonly path: string
  readonly query: string
  readonly address: string
  readonly receivedAtMs: number
  readonly startedMs: number
}

/** A class and not an object with functions: every request creates one, and would create the functions too. */
export class IncomingCall implements Call {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Headers
  readonly address: string
  readonly receivedAtMs: number
  readonly startedMs: number
  readonly #request: Request
  readonly #bodies: BodyReader
  readonly #arrival: Arrival | undefined
  readonly #budget: BodyBudget
  #share: BodyShare | undefined

  constructor(
    request: Request,
    bodies: BodyReader,
    budget: BodyBudget,
    arrival: Arrival | undefined,
    facts: CallFacts,
  ) {
    this.requestId = facts.requestId
    this.method = request.method
    this.path = facts.path
    this.query = facts.query
    this.headers = request.headers
    this.address = facts.address
    this.receivedAtMs = facts.receivedAtMs
    this.startedMs = facts.startedMs
    this.#request = request
    this.#bodies = bodies
    this.#arrival = arrival
    this.#budget = budget
  }

  isClientGone(): boolean {
    return this.#request.signal.aborted
  }

  readBody(accountId: string): Promise<Uint8Array> {
    const share = new BodyShare(this.#budget, accountId)
    this.#share = share
    return this.#bodies.read(this.#request, this.headers, this.startedMs, this.#arrival, share)
  }

  ended(answerBytes = 0): void {
    this.#share?.release()
    this.#arrival?.release(answerBytes)
  }
}
