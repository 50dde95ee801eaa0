import type {
  Finish,
  PartDelta,
  PartEnd,
  PartHead,
  PartStart,
  TokenLogprob,
} from '../../../core/neutral/reply-event.ts'
import { describeMedia } from '../../fit/describe-media.ts'
import { encodeAnnotations } from '../values/annotations.ts'
import { encodeFinish, explanationOf } from '../values/finish-reason.ts'
import { encodeLogprobs } from '../values/logprobs.ts'
import { encodeSignature, sealDetails } from '../values/opaque.ts'
import { audioObject, encodeAudio, encodeImage } from './reply-media.ts'

/** Writes a chunk of one choice; `delta`, `logprobs` and `finish` are JSON text. */
export type WriteChunk = (
  answer: number,
  delta: string,
  logprobs?: string,
  finish?: string,
) => string

const roleDelta = '{"role":"assistant","content":"","refusal":null}'

/** Writes the chunks of one answer. */
export class ChoiceWriter {
  readonly #index: number
  readonly #write: WriteChunk
  readonly #isLegacy: boolean
  #hasStarted = false
  #open: PartHead | undefined
  /** The length of the open part. */
  #length = 0
  #contentLength = 0
  #calls = 0
  #images = 0
  #thoughts = 0
  #hasRefusal = false

  constructor(index: number, write: WriteChunk, isLegacy: boolean) {
    this.#index = index
    this.#write = write
    this.#isLegacy = isLegacy
  }

  begin(): string {
    if (this.#hasStarted) return ''
    this.#hasStarted = true
    return this.#write(this.#index, roleDelta)
  }

  push(event: PartStart | PartDelta | PartEnd): string {
    switch (event.type) {
      case 'part-delta':
        return this.#delta(event)
      case 'part-start':
        return this.#start(event.part)
      case 'part-end':
        return this.#endPart(event)
    }
  }

  end(finish: Finish | undefined): string {
    const explanation = explanationOf(finish, this.#hasRefusal)
    const refusal =
      explanation === undefined
        ? ''
        : this.#write(this.#index, `{"refusal":${JSON.stringify(explanation)}}`)
    const reason = encodeFinish(finish, this.#calls, this.#isLegacy)
    return refusal + this.#write(this.#index, '{}', 'null', `"${reason}"`)
  }

  #start(part: PartHead): string {
    this.#open = part
    this.#length = 0
    if (part.type === 'tool-call') return this.#startCall(part)
    if (part.type !== 'media') return ''
    const sound = encodeAudio(part)
    if (sound !== undefined) {
      const audio = audioObject(sound, this.#index)
      return this.#write(this.#index, `{"audio":${JSON.stringify(audio)}}`)
    }
    const image = encodeImage(part, this.#images)
    if (!image)
      return this.#write(this.#index, `{"content":${JSON.stringify(describeMedia(part))}}`)
    this.#images += 1
    return this.#write(this.#index, `{"images":[${JSON.stringify(image)}]}`)
  }

  /** The id and the name are sent once. The index counts only calls, whatever else the answer contains. */
  #startCall(call: Extract<PartHead, { type: 'tool-call' }>): string {
    this.#calls += 1
    const name = JSON.stringify(call.name)
    if (this.#isLegacy) {
      if (this.#calls > 1) return ''
      return this.#write(this.#index, `{"function_call":{"name":${name},"arguments":""}}`)
    }
    const inner =
      call.form === 'custom'
        ? `"type":"custom","custom":{"name":${name},"input":""}`
        : `"type":"function","function":{"name":${name},"arguments":""}`
    const signature = call.opaque
      ? `,"extra_content":${JSON.stringify(encodeSignature(call.opaque))}`
      : ''
    return this.#writeCall(`"id":${JSON.stringify(call.id)},${inner}${signature}`)
  }

  #delta({ text, logprobs }: PartDelta): string {
    const open = this.#open
    if (!open || text === '') return ''
    this.#length += text.length
    switch (open.type) {
      case 'text':
        return this.#write(
          this.#index,
          `{"content":${JSON.stringify(text)}}`,
          logprobs && logprobsText('content', logprobs),
        )
      case 'reasoning':
        return this.#write(this.#index, this.#reasoningDelta(JSON.stringify(text)))
      case 'refusal':
        this.#hasRefusal = true
        return this.#write(
          this.#index,
          `{"refusal":${JSON.stringify(text)}}`,
          logprobs && logprobsText('refusal', logprobs),
        )
      case 'tool-call':
        return this.#callDelta(open.form, JSON.stringify(text))
      case 'media':
      case 'hosted':
        return ''
    }
  }

  #callDelta(form: 'function' | 'custom', text: string): string {
    if (form === 'custom') return this.#writeCall(`"custom":{"input":${text}}`)
    if (!this.#isLegacy) return this.#writeCall(`"function":{"arguments":${text}}`)
    if (this.#calls > 1) return ''
    return this.#write(this.#index, `{"function_call":{"arguments":${text}}}`)
  }

  #writeCall(members: string): string {
    return this.#write(this.#index, `{"tool_calls":[{"index":${this.#calls - 1},${members}}]}`)
  }

  #endPart({ opaque, annotations }: PartEnd): string {
    const open = this.#open
    this.#open = undefined
    switch (open?.type) {
      case 'text':
        return this.#endText(opaque, annotations)
      case 'reasoning':
        return this.#endReasoning(opaque)
      case 'tool-call': {
        // Clients parse the arguments, and an empty string is not valid JSON.
        const isEmpty = this.#length === 0 && open.form === 'function'
        const filled = isEmpty ? this.#callDelta(open.form, '"{}"') : ''
        if (!opaque || open.opaque || this.#isLegacy) return filled
        return (
          filled + this.#writeCall(`"extra_content":${JSON.stringify(encodeSignature(opaque))}`)
        )
      }
      case 'refusal':
      case 'media':
      case 'hosted':
      case undefined:
        return ''
    }
  }

  #endText(opaque: PartEnd['opaque'], annotations: PartEnd['annotations']): string {
    const offset = this.#contentLength
    this.#contentLength += this.#length
    let text = ''
    if (annotations && annotations.length > 0) {
      const found = encodeAnnotations(annotations, offset, this.#length)
      text += this.#write(this.#index, `{"annotations":${JSON.stringify(found)}}`)
    }
    if (opaque) {
      const signature = JSON.stringify(encodeSignature(opaque))
      text += this.#write(this.#index, `{"extra_content":${signature}}`)
    }
    return text
  }

  /** The list beside the text lets a client return each reasoning part with its own token. */
  #reasoningDelta(text: string): string {
    const detail = `{"type":"reasoning.text","text":${text},"index":${this.#thoughts}}`
    return `{"reasoning_content":${text},"reasoning_details":[${detail}]}`
  }

  #endReasoning(opaque: PartEnd['opaque']): string {
    const details = sealDetails(undefined, opaque, this.#thoughts)
    this.#thoughts += 1
    if (details.length === 0) return ''
    return this.#write(this.#index, `{"reasoning_details":${JSON.stringify(details)}}`)
  }
}

function logprobsText(member: 'content' | 'refusal', logprobs: readonly TokenLogprob[]): string {
  const list = encodeLogprobs(logprobs)
  return JSON.stringify({ content: null, refusal: null, [member]: list })
}
