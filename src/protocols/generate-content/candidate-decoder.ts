import type { Opaque } from '../../core/model-request.ts'
import type { Finish, ReplyEvent, TokenLogprob } from '../../core/reply-event.ts'
import { writeJson } from '../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'
import type { UpstreamContext } from '../translation.ts'
import { decodeAnnotations } from './annotations.ts'
import { argumentsOf } from './decode-call.ts'
import { fieldOf, filledTextOf, looseList, objectOf, textOf } from './field-of.ts'
import { decodeFinish, withCalls } from './finish-reasons.ts'
import { decodeLogprobsResult } from './logprobs.ts'
import { PartialArgs } from './partial-args.ts'

interface OpenText {
  readonly type: 'text' | 'reasoning'
  text: string
  opaque: Opaque | undefined
}

interface OpenCall {
  readonly id: string
  readonly name: string
  readonly opaque: Opaque | undefined
  readonly args: PartialArgs
}

/**
 * Reads one candidate, chunk by chunk. Pieces of text of one kind are one part; it stays open until something
 * else comes, because a signature or sources may still follow for it.
 */
export class CandidateDecoder {
  readonly #answer: number
  readonly #context: UpstreamContext
  readonly #citations: JsonObject[] = []
  #grounding: JsonObject | undefined
  #open: OpenText | undefined
  #call: OpenCall | undefined
  #unanswered: string[] = []
  #finish: Finish | undefined

  constructor(answer: number, context: UpstreamContext) {
    this.#answer = answer
    this.#context = context
  }

  read(candidate: JsonObject, events: ReplyEvent[]): void {
    this.#finish = decodeFinish(candidate) ?? this.#finish
    this.#noteSources(candidate)
    const content = candidate['content']
    if (!isObject(content)) return
    let logprobs = decodeLogprobsResult(candidate)
    for (const part of looseList(content['parts'])) {
      if (!isObject(part)) continue
      this.#readPart(part, logprobs, events)
      if (typeof part['text'] === 'string') logprobs = undefined
    }
  }

  /** Ends what is open, and tells why the candidate ended. */
  close(events: ReplyEvent[]): Finish {
    this.#endCall(events)
    this.#endText(events)
    const finish = this.#finish ?? { reason: 'other', raw: undefined }
    return withCalls(finish, this.#unanswered.length > 0)
  }

  #noteSources(candidate: JsonObject): void {
    const grounding = objectOf(candidate, 'groundingMetadata')
    if (grounding && fieldOf(grounding, 'groundingChunks') !== undefined)
      this.#grounding = grounding
    const citation = objectOf(candidate, 'citationMetadata')
    if (citation) this.#citations.push(citation)
  }

  #readPart(
    part: JsonObject,
    logprobs: readonly TokenLogprob[] | undefined,
    events: ReplyEvent[],
  ): void {
    const opaque = this.#signatureOf(part)
    const call = part['functionCall']
    const text = part['text']
    if (isObject(call)) {
      this.#readCall(call, opaque, events)
    } else if (typeof text !== 'string') {
      this.#readOther(part, opaque, events)
    } else if (text !== '' || opaque) {
      this.#endCall(events)
      this.#readText(
        text,
        part['thought'] === true ? 'reasoning' : 'text',
        opaque,
        events,
        logprobs,
      )
    }
  }

  #readText(
    text: string,
    type: OpenText['type'],
    opaque: Opaque | undefined,
    events: ReplyEvent[],
    logprobs: readonly TokenLogprob[] | undefined,
  ): void {
    const answer = this.#answer
    if (text === '') {
      this.#readSignature(opaque, events)
      return
    }
    if (this.#open && (this.#open.type !== type || this.#open.opaque)) this.#endText(events)
    if (!this.#open) {
      this.#open = { type, text: '', opaque: undefined }
      events.push({ type: 'part-start', answer, part: { type } })
    }
    this.#open.text += text
    this.#open.opaque = opaque
    events.push(
      logprobs
        ? { type: 'part-delta', answer, text, logprobs }
        : { type: 'part-delta', answer, text },
    )
  }

  /** A signature without text belongs to the text before it; without any it stands for thoughts that are not shown. */
  #readSignature(opaque: Opaque | undefined, events: ReplyEvent[]): void {
    if (this.#open && !this.#open.opaque) {
      this.#open.opaque = opaque
      return
    }
    this.#endText(events)
    const answer = this.#answer
    events.push(
      { type: 'part-start', answer, part: { type: 'reasoning' } },
      { type: 'part-end', answer, opaque },
    )
  }

  /** A call comes whole, or with a name first and its arguments in pieces. */
  #readCall(call: JsonObject, opaque: Opaque | undefined, events: ReplyEvent[]): void {
    const name = filledTextOf(call, 'name')
    const goesOn = fieldOf(call, 'willContinue') === true
    if (name === undefined) {
      this.#call?.args.add(fieldOf(call, 'partialArgs'))
      if (!goesOn) this.#endCall(events)
      return
    }
    this.#endCall(events)
    this.#endText(events)
    const id = filledTextOf(call, 'id') ?? this.#context.mint('call_')
    if (goesOn) {
      this.#call = { id, name, opaque, args: new PartialArgs() }
      this.#call.args.add(fieldOf(call, 'partialArgs'))
    } else this.#tellCall(id, name, argumentsOf(call), opaque, events)
  }

  #endCall(events: ReplyEvent[]): void {
    const call = this.#call
    if (!call) return
    this.#call = undefined
    this.#tellCall(call.id, call.name, call.args.text(), call.opaque, events)
  }

  #tellCall(
    id: string,
    name: string,
    text: string,
    opaque: Opaque | undefined,
    events: ReplyEvent[],
  ): void {
    const answer = this.#answer
    this.#unanswered.push(name)
    const part = { type: 'tool-call', id, name, form: 'function', opaque } as const
    events.push(
      { type: 'part-start', answer, part },
      { type: 'part-delta', answer, text },
      { type: 'part-end', answer, opaque },
    )
  }

  #readOther(part: JsonObject, opaque: Opaque | undefined, events: ReplyEvent[]): void {
    const names = Object.keys(part)
    if (names.every((name) => name === 'thoughtSignature')) {
      if (opaque) this.#readSignature(opaque, events)
      return
    }
    this.#endCall(events)
    this.#endText(events)
    const answered = part['functionResponse']
    if (isObject(answered)) this.#unanswered = without(this.#unanswered, textOf(answered, 'name'))
    const answer = this.#answer
    const head = mediaHead(part) ?? ({ type: 'hosted', protocol, json: writeJson(part) } as const)
    events.push({ type: 'part-start', answer, part: head }, { type: 'part-end', answer, opaque })
  }

  #endText(events: ReplyEvent[]): void {
    const open = this.#open
    if (!open) return
    this.#open = undefined
    const annotations =
      open.type === 'text'
        ? decodeAnnotations(this.#grounding, this.#citations.splice(0), open.text)
        : undefined
    if (open.type === 'text') this.#grounding = undefined
    events.push({ type: 'part-end', answer: this.#answer, opaque: open.opaque, annotations })
  }

  #signatureOf(part: JsonObject): Opaque | undefined {
    const data = part['thoughtSignature']
    if (typeof data !== 'string' || data === '') return undefined
    return { issuer: this.#context.issuer, kind: 'signature', data }
  }
}

const protocol = 'generate-content'

function mediaHead(part: JsonObject) {
  const inline = objectOf(part, 'inlineData')
  const file = objectOf(part, 'fileData')
  const mime = textOf(inline ?? file ?? {}, 'mimeType') ?? 'application/octet-stream'
  if (inline) {
    const data = textOf(inline, 'data') ?? ''
    return { type: 'media', mime, source: { type: 'base64', data } } as const
  }
  const url = file && textOf(file, 'fileUri')
  return url === undefined
    ? undefined
    : ({ type: 'media', mime, source: { type: 'url', url } } as const)
}

function without(names: readonly string[], name: string | undefined): string[] {
  const index = name === undefined ? -1 : names.indexOf(name)
  return index < 0 ? [...names] : names.toSpliced(index, 1)
}
