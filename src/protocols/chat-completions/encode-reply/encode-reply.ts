import { noUsage } from '../../../core/money/usage.ts'
import { foldReply, type ReplyAnswer } from '../../../core/neutral/fold-reply.ts'
import type {
  JsonText,
  ReasoningPart,
  TextPart,
  ToolCallPart,
} from '../../../core/neutral/model-request.ts'
import type { PartHead, ReplyEvent, TokenLogprob } from '../../../core/neutral/reply-event.ts'
import { joinAudio } from '../../../wire/audio.ts'
import { writeJson } from '../../../wire/exact-json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { describeMedia } from '../../fit/describe-media.ts'
import type { ReplyContext } from '../../translation.ts'
import { isLegacy } from '../decode-request/decode-request.ts'
import { encodeAnnotations } from '../values/annotations.ts'
import { encodeFinish, explanationOf } from '../values/finish-reason.ts'
import { encodeLogprobs } from '../values/logprobs.ts'
import { type Detail, encodeSignature, sealDetails } from '../values/opaque.ts'
import { encodeUsage } from '../values/usage.ts'
import { audioObject, encodeAudio, encodeImage } from './reply-media.ts'

export function encodeReply(events: readonly ReplyEvent[], context: ReplyContext): JsonText {
  const reply = foldReply(events)
  const legacy = isLegacy(context.body)
  return writeJson({
    id: context.mint('chatcmpl-'),
    object: 'chat.completion',
    created: context.createdAtSeconds,
    model: context.request.model,
    choices: reply.answers.map((answer, index) => encodeChoice(answer, index, legacy)),
    usage: reply.usage === noUsage ? undefined : encodeUsage(reply.usage),
  })
}

function encodeChoice(answer: ReplyAnswer, index: number, legacy: boolean): JsonObject {
  const calls = answer.parts.filter(({ part }) => part.type === 'tool-call').length
  return {
    index,
    message: encodeMessage(answer, legacy),
    logprobs: encodeChoiceLogprobs(answer),
    finish_reason: encodeFinish(answer.finish, calls, legacy),
  }
}

function encodeChoiceLogprobs(answer: ReplyAnswer): JsonObject | null {
  const of = (type: 'text' | 'refusal'): TokenLogprob[] =>
    answer.parts.flatMap(({ part, logprobs }) => (part.type === type ? logprobs : []))
  const content = of('text')
  const refusal = of('refusal')
  if (content.length === 0 && refusal.length === 0) return null
  const orNull = (list: TokenLogprob[]): JsonObject[] | null =>
    list.length === 0 ? null : encodeLogprobs(list)
  return { content: orNull(content), refusal: orNull(refusal) }
}

interface Message {
  content: string
  refusal: string
  reasoning: string
  thoughts: number
  signature: JsonObject | undefined
  readonly details: Detail[]
  readonly annotations: JsonObject[]
  readonly images: JsonObject[]
  /** In base64, one for each part. */
  readonly audioPieces: string[]
  readonly calls: ToolCallPart[]
}

function encodeMessage(answer: ReplyAnswer, legacy: boolean): JsonObject {
  const message: Message = {
    content: '',
    refusal: '',
    reasoning: '',
    thoughts: 0,
    signature: undefined,
    details: [],
    annotations: [],
    images: [],
    audioPieces: [],
    calls: [],
  }
  for (const { part } of answer.parts) {
    if (part.type === 'text') addText(message, part)
    else if (part.type === 'reasoning') addReasoning(message, part)
    else if (part.type === 'refusal') message.refusal += part.text
    else if (part.type === 'tool-call') message.calls.push(part)
    else if (part.type === 'media') {
      addMedia(message, { ...part, mime: part.mime ?? '' })
    }
  }
  const refusal = message.refusal + (explanationOf(answer.finish, message.refusal !== '') ?? '')
  const isSilent = message.calls.length > 0 || refusal !== ''
  return {
    role: 'assistant',
    content: message.content === '' && isSilent ? null : message.content,
    refusal: refusal === '' ? null : refusal,
    reasoning_content: message.reasoning === '' ? undefined : message.reasoning,
    reasoning_details: orUndefined(message.details),
    extra_content: message.signature,
    annotations: orUndefined(message.annotations),
    images: orUndefined(message.images),
    audio: audioOf(message.audioPieces),
    ...encodeCalls(message.calls, legacy),
  }
}

function addMedia(message: Message, media: Extract<PartHead, { type: 'media' }>): void {
  const audio = encodeAudio(media)
  const image = encodeImage(media, message.images.length)
  if (audio !== undefined) message.audioPieces.push(audio)
  else if (image) message.images.push(image)
  else message.content += describeMedia(media)
}

/** A stream brings audio in pieces; a whole reply has one object. */
function audioOf(audioPieces: readonly string[]): JsonObject | undefined {
  return audioPieces.length === 0 ? undefined : audioObject(joinAudio(audioPieces).data, 0)
}

function addText(message: Message, part: TextPart): void {
  const offset = message.content.length
  message.content += part.text
  if (part.opaque) message.signature = encodeSignature(part.opaque)
  const found = encodeAnnotations(part.annotations ?? [], offset, part.text.length)
  message.annotations.push(...found)
}

function addReasoning(message: Message, part: ReasoningPart): void {
  message.reasoning += part.text
  message.details.push(...sealDetails(part.text, part.opaque, message.thoughts))
  message.thoughts += 1
}

/** The older form has room for one call. */
function encodeCalls(calls: readonly ToolCallPart[], legacy: boolean): JsonObject {
  const [first] = calls
  if (!first) return {}
  if (legacy) return { function_call: { name: first.name, arguments: argumentsOf(first) } }
  return {
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: call.form,
      ...(call.form === 'custom'
        ? { custom: { name: call.name, input: call.argumentsText } }
        : { function: { name: call.name, arguments: argumentsOf(call) } }),
      extra_content: call.opaque && encodeSignature(call.opaque),
    })),
  }
}

/** Missing arguments become an empty object, because clients parse the text. */
function argumentsOf(call: ToolCallPart): string {
  return call.argumentsText === '' ? '{}' : call.argumentsText
}

function orUndefined<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list
}
