import type { Annotation } from '../../core/model-request.ts'
import type { TokenLogprob } from '../../core/reply-event.ts'
import { encodeAnnotation } from './annotations.ts'
import { encodeLogprobs } from './logprobs.ts'

/** Writes one event: its name, its members as JSON text ending in a comma, and the number of the event. */
export type Emit = (type: string, members: string) => string

/** The names of a part's events, and where the part stands, as members of each of them. */
export interface PartPlace {
  readonly deltaType: string
  readonly doneType: string
  readonly place: string
}

/** A part that is being written: its text so far, and how to say more of it and its end. */
export class OpenPart {
  readonly #emit: Emit
  readonly #place: PartPlace
  readonly #deltaHead: string
  #text = ''
  readonly #logprobs: TokenLogprob[] = []

  constructor(emit: Emit, place: PartPlace) {
    this.#emit = emit
    this.#place = place
    this.#deltaHead = `${place.place}"delta":`
  }

  get text(): string {
    return this.#text
  }

  /** Only text has probabilities; the other parts do not mention them. */
  delta(text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    this.#text += text
    if (logprobs) this.#logprobs.push(...logprobs)
    const { deltaType } = this.#place
    const tail = deltaType === 'response.output_text.delta' ? this.#logprobsText(logprobs) : ''
    return this.#emit(deltaType, `${this.#deltaHead}${JSON.stringify(text)},${tail}`)
  }

  #logprobsText(logprobs: readonly TokenLogprob[] | undefined): string {
    return logprobs && logprobs.length > 0
      ? `"logprobs":${encodeLogprobs(logprobs)},`
      : '"logprobs":[],'
  }

  /** The event that repeats the whole text under the name that its kind gives it. */
  done(field: string): string {
    const tail = field === 'text' && this.#place.doneType === 'response.output_text.done'
    const members = `${this.#place.place}"${field}":${JSON.stringify(this.#text)},`
    return this.#emit(
      this.#place.doneType,
      tail ? members + this.#logprobsText(this.#logprobs) : members,
    )
  }

  annotations(list: readonly Annotation[]): { events: string; json: string } {
    const texts = list.map((each) => encodeAnnotation(each, this.#text.length))
    const events = texts.map((text, index) =>
      this.#emit(
        'response.output_text.annotation.added',
        `${this.#place.place}"annotation_index":${index},"annotation":${text},`,
      ),
    )
    return { events: events.join(''), json: `[${texts.join(',')}]` }
  }

  /** The finished text part of a message. */
  outputText(annotations: string): string {
    const logprobs = encodeLogprobs(this.#logprobs)
    return `{"type":"output_text","text":${JSON.stringify(this.#text)},"annotations":${annotations},"logprobs":${logprobs}}`
  }
}
