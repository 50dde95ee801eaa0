import type { Opaque } from '../../../core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { RawJson, writeJson } from '../../../wire/exact-json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { FifoQueue } from '../../fit/fifo-queue.ts'
import { replyLimits } from '../../reply-limits.ts'
import type { UpstreamContext } from '../../translation.ts'
import { argumentsOf } from '../values/call-arguments.ts'
import { PartialArgs } from '../values/partial-args.ts'
import { fieldOf, nonEmptyTextOf } from '../values/read-field.ts'

interface CompleteCall {
  readonly id: string | undefined
  readonly name: string
  readonly argumentsText: string
  readonly opaque: Opaque | undefined
}

interface OpenCall {
  readonly id: string | undefined
  readonly name: string
  readonly opaque: Opaque | undefined
  readonly pieces: PartialArgs
}

/**
 * The calls of one candidate. A call is held until something else follows: the client must not run a call that the
 * vendor answers in the same reply.
 */
export class CallDecoder {
  readonly #answer: number
  readonly #context: UpstreamContext
  #open: OpenCall | undefined
  #held: (CompleteCall | undefined)[] = []
  readonly #indexes = new Map<string, FifoQueue<number>>()
  #hasCalls = false

  constructor(answer: number, context: UpstreamContext) {
    this.#answer = answer
    this.#context = context
  }

  /** Whether the client has calls to run. */
  get hasCalls(): boolean {
    return this.#hasCalls
  }

  /** A call arrives whole, or with a name first and its arguments in pieces. */
  read(call: JsonObject, opaque: Opaque | undefined): void {
    const name = nonEmptyTextOf(call, 'name')
    const isPartial = fieldOf(call, 'willContinue') === true
    if (name === undefined) {
      this.#open?.pieces.add(fieldOf(call, 'partialArgs'))
      if (!isPartial) this.#complete()
      return
    }
    this.#complete()
    const id = nonEmptyTextOf(call, 'id')
    if (isPartial) {
      this.#open = { id, name, opaque, pieces: new PartialArgs() }
      this.#open.pieces.add(fieldOf(call, 'partialArgs'))
    } else this.#hold({ id, name, argumentsText: argumentsOf(call), opaque })
  }

  /** Sends the held calls to the client, because something else follows them. */
  emit(events: ReplyEvent[]): void {
    this.#complete()
    const held = this.#held.filter((call) => call !== undefined)
    this.#held = []
    this.#indexes.clear()
    if (held.length === 0) return
    const answer = this.#answer
    for (const { id, name, argumentsText, opaque } of held) {
      const minted = id ?? this.#context.mint('call_')
      const part = { type: 'tool-call', id: minted, name, form: 'function', opaque } as const
      events.push(
        { type: 'part-start', answer, part },
        { type: 'part-delta', answer, text: argumentsText },
        { type: 'part-end', answer, opaque },
      )
    }
    this.#hasCalls = true
  }

  /** The vendor's own result for a call of this name: the call is sent as a hosted call. */
  emitAnswered(name: string | undefined, events: ReplyEvent[]): void {
    this.#complete()
    const call = this.#takeHeld(name)
    if (!call) return
    const args = new RawJson(call.argumentsText)
    const json = writeJson({
      functionCall: { id: call.id, name: call.name, args },
      thoughtSignature: call.opaque?.data,
    })
    const part = { type: 'hosted', protocol: 'generate-content', json } as const
    events.push(
      { type: 'part-start', answer: this.#answer, part },
      { type: 'part-end', answer: this.#answer },
    )
  }

  /** The oldest held call of this name. Its position stays empty, so that no call has to move. */
  #takeHeld(name: string | undefined): CompleteCall | undefined {
    const places = name === undefined ? undefined : this.#indexes.get(name)
    const at = places?.shift()
    const call = at === undefined ? undefined : this.#held[at]
    if (at !== undefined) this.#held[at] = undefined
    return call
  }

  #hold(call: CompleteCall): void {
    if (this.#held.length > replyLimits.parts) return
    const at = this.#held.push(call) - 1
    const places = this.#indexes.get(call.name) ?? new FifoQueue<number>()
    places.push(at)
    this.#indexes.set(call.name, places)
  }

  #complete(): void {
    const call = this.#open
    if (!call) return
    this.#open = undefined
    this.#hold({ ...call, argumentsText: call.pieces.text() })
  }
}
