import type { Annotation } from '../../../core/neutral/model-request.ts'
import type { TokenLogprob } from '../../../core/neutral/reply-event.ts'
import type { SetAsideText } from '../../translation.ts'
import { encodeAnnotation } from '../values/annotations.ts'
import { encodeLogprobs } from '../values/logprobs.ts'
import { WrittenList, WrittenString } from '../values/written-json.ts'

type Emit = (type: string, members: string) => string

/** A part that is being written: its text so far, and its next events. */
export class OpenPart {
  readonly #emit: Emit
  readonly #kind: string
  readonly #position: string
  readonly #deltaType: string
  readonly #deltaHead: string
  readonly #text: WrittenString
  readonly #logprobs: WrittenList
  #json: string | undefined

  /** `kind` is the prefix of its event names. `position` locates it, as members of each event. */
  constructor(emit: Emit, kind: string, position: string, setAside: SetAsideText | undefined) {
    this.#emit = emit
    this.#text = new WrittenString(setAside)
    this.#logprobs = new WrittenList(setAside)
    this.#kind = kind
    this.#position = position
    this.#deltaType = `response.${kind}.delta`
    this.#deltaHead = `${position}"delta":`
  }

  get isEmpty(): boolean {
    return this.#text.length === 0
  }

  delta(text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    const json = JSON.stringify(text)
    this.#text.add(text, json)
    this.#json = undefined
    const encoded = this.#hasLogprobs && logprobs?.length ? encodeLogprobs(logprobs) : '[]'
    if (encoded !== '[]') this.#logprobs.addAll(encoded)
    return this.#emit(this.#deltaType, `${this.#deltaHead}${json},${this.#logprobsMember(encoded)}`)
  }

  /** The event that repeats the whole text in `field`, after `members`. */
  done(field: string, members = ''): string {
    const whole = `${this.#position}${members}"${field}":${this.json()},`
    const logprobs = this.#logprobsMember(this.#logprobs.write())
    return this.#emit(`response.${this.#kind}.done`, whole + logprobs)
  }

  annotations(list: readonly Annotation[]): { events: string; json: string } {
    const texts = list.map((each) => encodeAnnotation(each, this.#text.length))
    const events = texts.map((text, index) =>
      this.#emit(
        'response.output_text.annotation.added',
        `${this.#position}"annotation_index":${index},"annotation":${text},`,
      ),
    )
    return { events: events.join(''), json: `[${texts.join(',')}]` }
  }

  /** The finished text part of a message. */
  outputText(annotations: string): string {
    return `{"type":"output_text","text":${this.json()},"annotations":${annotations},"logprobs":${this.#logprobs.write()}}`
  }

  /** The whole text as a JSON string, which the end of a part repeats. */
  json(): string {
    this.#json ??= this.#text.write()
    return this.#json
  }

  /** Only text has log probabilities. Other parts omit the member. */
  get #hasLogprobs(): boolean {
    return this.#kind === 'output_text'
  }

  #logprobsMember(list: string): string {
    return this.#hasLogprobs ? `"logprobs":${list},` : ''
  }
}
