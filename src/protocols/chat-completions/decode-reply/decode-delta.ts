import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { jsonTextOf } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { sourceOfUrl } from '../../media-source.ts'
import type { ReplyTraits } from '../../reply-traits.ts'
import type { UpstreamContext } from '../../translation.ts'
import { thinkingText } from '../decode-request/decode-assistant.ts'
import { formOfCall } from '../values/call-form.ts'
import { decodeLogprobs } from '../values/logprobs.ts'
import { type Detail, textOfDetail } from '../values/opaque.ts'
import { reasoningIn } from '../values/reply-text.ts'
import type { CallPiece, ChoiceReader } from './part-reader.ts'

/**
 * Adds a delta of a stream, or the message of a whole reply, to an answer. The order is the one in which models write:
 * reasoning, text, calls. Unknown members and wrong types are ignored.
 */
export function decodeDelta(
  delta: JsonObject,
  choice: JsonObject,
  answer: ChoiceReader,
  { issuer, replies }: UpstreamContext,
  events: ReplyEvent[],
): void {
  decodeReasoning(delta, replies, answer, events)
  const { content, refusal } = delta
  if (typeof content === 'string') {
    if (content !== '') {
      const logprobs = decodeLogprobs(choice['logprobs'], 'content')
      answer.addText('text', content, logprobs, events)
    }
  } else if (Array.isArray(content)) decodeParts(content, answer, events)
  if (typeof refusal === 'string' && refusal !== '')
    answer.addText('refusal', refusal, decodeLogprobs(choice['logprobs'], 'refusal'), events)
  decodeAnnotations(delta['annotations'], answer)
  decodeImages(delta['images'], answer, events)
  decodeAudio(objectAt(delta, 'audio'), answer, events)
  decodeCalls(delta, answer, issuer, events)
  const signature = signatureIn(delta)
  if (signature !== undefined) answer.signText(signature)
}

/** Two fields may contain the same reasoning. Details without a text beside them use their own text. */
function decodeReasoning(
  delta: JsonObject,
  replies: ReplyTraits,
  answer: ChoiceReader,
  events: ReplyEvent[],
): void {
  const thought = reasoningIn(delta, replies)
  const beside = typeof thought === 'string' ? thought : ''
  if (beside !== '') answer.addText('reasoning', beside, undefined, events)
  const list = delta['reasoning_details']
  if (!Array.isArray(list)) return
  const details: Detail[] = list.filter(isObject)
  for (const detail of details) {
    if (beside === '') answer.addText('reasoning', textOfDetail(detail), undefined, events)
    answer.addDetail(detail, events)
  }
}

/** Mistral's content is a list when the model reasons. */
function decodeParts(
  content: readonly unknown[],
  answer: ChoiceReader,
  events: ReplyEvent[],
): void {
  for (const part of content) {
    if (!isObject(part)) continue
    if (part['type'] === 'thinking')
      answer.addText('reasoning', thinkingText(part['thinking']), undefined, events)
    else if (part['type'] === 'refusal')
      answer.addText('refusal', stringAt(part, 'refusal') ?? '', undefined, events)
    else answer.addText('text', stringAt(part, 'text') ?? '', undefined, events)
  }
}

function decodeAnnotations(list: unknown, answer: ChoiceReader): void {
  if (!Array.isArray(list)) return
  for (const each of list) {
    const link = isObject(each) ? objectAt(each, 'url_citation') : undefined
    const url = link && stringAt(link, 'url')
    if (link === undefined || url === undefined) continue
    answer.addAnnotation({
      url,
      title: stringAt(link, 'title'),
      start: positionAt(link, 'start_index'),
      end: positionAt(link, 'end_index'),
      citedText: stringAt(link, 'content'),
    })
  }
}

function positionAt(value: JsonObject, name: string): number | undefined {
  const field = value[name]
  return typeof field === 'number' ? field : undefined
}

function decodeImages(list: unknown, answer: ChoiceReader, events: ReplyEvent[]): void {
  if (!Array.isArray(list)) return
  for (const each of list) {
    const url = isObject(each) ? stringAt(objectAt(each, 'image_url') ?? {}, 'url') : undefined
    if (url === undefined) continue
    const { mime, source } = sourceOfUrl(url)
    answer.addMedia(mime ?? 'image/png', source, events)
  }
}

/** Audio arrives in pieces, with its transcript beside it. */
function decodeAudio(
  audio: JsonObject | undefined,
  answer: ChoiceReader,
  events: ReplyEvent[],
): void {
  if (!audio) return
  answer.addText('text', stringAt(audio, 'transcript') ?? '', undefined, events)
  const data = stringAt(audio, 'data')
  if (data !== undefined && data !== '') answer.addAudio(data)
}

function decodeCalls(
  delta: JsonObject,
  answer: ChoiceReader,
  issuer: string,
  events: ReplyEvent[],
): void {
  const calls = delta['tool_calls']
  if (Array.isArray(calls)) {
    for (const call of calls)
      if (isObject(call)) answer.addCall(decodeCallPiece(call, issuer), events)
  }
  const legacy = objectAt(delta, 'function_call')
  if (legacy) answer.addCall(decodeCallPiece({ index: 0, function: legacy }, issuer), events)
}

function decodeCallPiece(call: JsonObject, issuer: string): CallPiece {
  const form = formOfCall(call)
  const inner = objectAt(call, form) ?? {}
  const index = call['index']
  const data = signatureIn(call)
  return {
    index: typeof index === 'number' ? index : undefined,
    id: stringAt(call, 'id') ?? '',
    name: stringAt(inner, 'name') ?? '',
    text: form === 'custom' ? (stringAt(inner, 'input') ?? '') : argumentsText(inner['arguments']),
    form,
    opaque: data === undefined ? undefined : { issuer, kind: 'signature', data },
  }
}

/** The protocol defines JSON text; some servers send the object itself, or null. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return isObject(value) ? jsonTextOf(value) : ''
}

/** The form of Google's compatible endpoint. */
function signatureIn(value: JsonObject): string | undefined {
  const extra = objectAt(value, 'extra_content')
  const google = extra && objectAt(extra, 'google')
  const signature = google && stringAt(google, 'thought_signature')
  return signature === '' ? undefined : signature
}
