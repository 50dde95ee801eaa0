import type { Opaque } from '../../../core/neutral/model-request.ts'
import type { Finish, ReplyEvent, TokenLogprob } from '../../../core/neutral/reply-event.ts'
import { GrowingText } from '../../../core/runtime/growing-text.ts'
import { writeJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { base64Source } from '../../media-source.ts'
import { replyLimits } from '../../reply-limits.ts'
import type { UpstreamContext } from '../../translation.ts'
import { decodeAnnotations } from '../values/annotations.ts'
import { decodeFinish, withCalls } from '../values/finish-reason.ts'
import { decodeLogprobs } from '../values/logprobs.ts'
import { fieldOf, listOrSingle, objectOf, textOf } from '../values/read-field.ts'
import { CallDecoder } from './call-decoder.ts'

interface OpenText {
  readonly type: 'text' | 'reasoning'
  readonly text: GrowingText
  opaque: Opaque | undefined
}

/**
 * Reads one candidate, chunk by chunk. Consecutive pieces of text of one kind form one part. The part stays open until
 * something else arrives, because a signature or sources may still follow for it.
 */
export class CandidateReader {
  readonly #answer: number
  readonly #issuer: string
  readonly #calls: CallDecoder
  readonly #citations: JsonObject[] = []
  #grounding: JsonObject | undefined
  #open: OpenText | undefined
  #finish: Finish | undefined

  constructor(answer: number, context: UpstreamContext) {
    this.#answer = answer
    this.#issuer = context.issuer
    this.#calls = new CallDecoder(answer, context)
  }

  read(candidate: JsonObject, events: ReplyEvent[]): void {
    this.#finish = decodeFinish(candidate) ?? this.#finish
    this.#noteSources(candidate)
    const content = candidate['content']
    if (!isObject(content)) return
    let logprobs = decodeLogprobs(candidate)
    for (const part of listOrSingle(content['parts'])) {
      if (!isObject(part)) continue
      this.#readPart(part, logprobs, events)
      if (typeof part['text'] === 'string') logprobs = undefined
    }
  }

  /** Ends the open part and returns why the candidate ended. */
  close(events: ReplyEvent[]): Finish {
    this.#calls.emit(events)
    this.#endText(events)
    const finish = this.#finish ?? { reason: 'other', raw: undefined }
    return withCalls(finish, this.#calls.hasCalls)
  }

  #noteSources(candidate: JsonObject): void {
    const grounding = objectOf(candidate, 'groundingMetadata')
    if (grounding && fieldOf(grounding, 'groundingChunks') !== undefined)
      this.#grounding = grounding
    const citation = objectOf(candidate, 'citationMetadata')
    if (citation && this.#citations.length <= replyLimits.sources) this.#citations.push(citation)
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
      this.#endText(events)
      this.#calls.read(call, opaque)
    } else if (typeof text !== 'string') {
      this.#readOther(part, opaque, events)
    } else if (text !== '' || opaque) {
      this.#calls.emit(events)
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
      this.#open = { type, text: new GrowingText(), opaque: undefined }
      events.push({ type: 'part-start', answer, part: { type } })
    }
    this.#open.text.add(text)
    this.#open.opaque = opaque
    events.push(
      logprobs
        ? { type: 'part-delta', answer, text, logprobs }
        : { type: 'part-delta', answer, text },
    )
  }

  /** A signature without text belongs to the text before it. Without such text it stands for hidden reasoning. */
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

  #readOther(part: JsonObject, opaque: Opaque | undefined, events: ReplyEvent[]): void {
    const names = Object.keys(part)
    if (names.every((name) => name === 'thoughtSignature')) {
      if (opaque) this.#calls.emit(events)
      if (opaque) this.#readSignature(opaque, events)
      return
    }
    this.#endText(events)
    const answered = part['functionResponse']
    if (isObject(answered)) this.#calls.emitAnswered(textOf(answered, 'name'), events)
    else this.#calls.emit(events)
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
    return { issuer: this.#issuer, kind: 'signature', data }
  }
}

const protocol = 'generate-content'

function mediaHead(part: JsonObject) {
  const inline = objectOf(part, 'inlineData')
  const file = objectOf(part, 'fileData')
  const mime = textOf(inline ?? file ?? {}, 'mimeType') ?? 'application/octet-stream'
  if (inline) {
    const data = textOf(inline, 'data') ?? ''
    return { type: 'media', mime, source: base64Source(data) } as const
  }
  const url = file && textOf(file, 'fileUri')
  return url === undefined
    ? undefined
    : ({ type: 'media', mime, source: { type: 'url', url } } as const)
}
