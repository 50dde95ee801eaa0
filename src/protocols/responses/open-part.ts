import type { Annotation } from '../../core/model-request.ts'
import type { TokenLogprob } from '../../core/reply-event.ts'
import { encodeAnnotation } from './annotations.ts'
import { encodeLogprobs } from './logprobs.ts'

type Emit = (type: string, members: string) => string

/** A part that is being written: its text so far, and how to say more of it and its end. */
export class OpenPart {
  readonly #emit: Emit
  readonly #kind: string
  readonly #place: string
  readonly #deltaType: string
  readonly #deltaHead: string
  readonly #logprobs: TokenLogprob[] = []
  #text = ''
  #json: string | undefined

  /** `kind` names its events, `place` says where it stands, as members of each of them. */
  constructor(emit: Emit, kind: string, place: string) {
    this.#emit = emit
    this.#kind = kind
    this.#place = place
    this.#deltaType = `response.${kind}.delta`
    this.#deltaHead = `${place}"delta":`
  }

  get text(): string {
    return this.#text
  }

  delta(text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    this.#text += text
    this.#json = undefined
    if (logprobs) this.#logprobs.push(...logprobs)
    const members = `${this.#deltaHead}${JSON.stringify(text)},${this.#logprobsMember(logprobs)}`
    return this.#emit(this.#deltaType, members)
  }

  /** The event that repeats the whole text under the name that its kind gives it, and more members before it. */
  done(field: string, members = ''): string {
    const whole = `${this.#place}${members}"${field}":${this.#textJson()},`
    return this.#emit(`response.${this.#kind}.done`, whole + this.#logprobsMember(this.#logprobs))
  }

  annotations(list: readonly Annotation[]): { events: string; json: string } {
    const texts = list.map((each) => encodeAnnotation(each, this.#text.length))
    const events = texts.map((text, index) =>
      this.#emit(
        'response.output_text.annotation.added',
        `${this.#place}"annotation_index":${index},"annotation":${text},`,
      ),
    )
    return { events: events.join(''), json: `[${texts.join(',')}]` }
  }

  /** The finished text part of a message. */
  outputText(annotations: string): string {
    const logprobs = encodeLogprobs(this.#logprobs)
    return `{"type":"output_text","text":${this.#textJson()},"annotations":${annotations},"logprobs":${logprobs}}`
  }

  /** The end of a part repeats its text twice. */
  #textJson(): string {
    this.#json ??= JSON.stringify(this.#text)
    return this.#json
  }

  /** Only text has probabilities; the other parts do not mention them. */
  #logprobsMember(logprobs: readonly TokenLogprob[] | undefined): string {
    if (this.#kind !== 'output_text') return ''
    if (!logprobs || logprobs.length === 0) return '"logprobs":[],'
    return `"logprobs":${encodeLogprobs(logprobs)},`
  }
}
