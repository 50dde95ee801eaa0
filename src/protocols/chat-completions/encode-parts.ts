import type { Annotation, Opaque } from '../../core/model-request.ts'
import type { Finish, PartHead, TokenLogprob } from '../../core/reply-event.ts'
import type { JsonObject } from '../../wire/json.ts'
import { sealOpaque } from '../fit/seal-opaque.ts'
import { addressOf } from './encode-media.ts'

/** The pieces of a reply that are the same in a stream and in a whole reply. */

/** The position of a span in the whole content. A source without a position belongs to all of its part. */
export function encodeAnnotations(
  annotations: readonly Annotation[],
  offset: number,
  length: number,
): JsonObject[] {
  return annotations.map(({ url, title, start, end }) => ({
    type: 'url_citation',
    url_citation: {
      url,
      title: title ?? url,
      start_index: offset + (start ?? 0),
      end_index: offset + (end ?? length),
    },
  }))
}

export function encodeSignature(opaque: Opaque): JsonObject {
  return { google: { thought_signature: sealOpaque(opaque) } }
}

/** OpenRouter's form of an image in a reply; undefined for media that the protocol cannot express. */
export function encodeImage(
  media: Extract<PartHead, { type: 'media' }>,
  index: number,
): JsonObject | undefined {
  const url = media.mime.startsWith('image/') ? addressOf(media, media.mime) : undefined
  return url === undefined ? undefined : { type: 'image_url', image_url: { url }, index }
}

/** Audio that the protocol can carry, in base64; undefined for any other media. */
export function encodeSound(media: Extract<PartHead, { type: 'media' }>): string | undefined {
  const isSound = media.mime.startsWith('audio/') && media.source.type === 'base64'
  return isSound ? media.source.data : undefined
}

/** The protocol's own form of audio. Later requests cannot refer to it. */
export function audioObject(data: string, answer: number): JsonObject {
  return { id: `audio_${answer}`, data, expires_at: 0, transcript: '' }
}

export function encodeLogprobs(logprobs: readonly TokenLogprob[]): JsonObject[] {
  return logprobs.map(({ top, bytes, ...token }) => ({
    ...token,
    bytes: bytes ?? null,
    top_logprobs: top.map((each) => ({ ...each, bytes: each.bytes ?? null })),
  }))
}

/**
 * An answer with calls ends in a tool-call reason, whatever reason the upstream gave. Only a token limit takes
 * precedence.
 */
export function encodeFinish(finish: Finish | undefined, calls: number, isLegacy: boolean): string {
  const callWord = isLegacy ? 'function_call' : 'tool_calls'
  switch (finish?.reason) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'tool-calls':
      return callWord
    case 'malformed-call':
      return 'stop'
    default:
      return calls > 0 ? callWord : 'stop'
  }
}

/** A refusal that only the finish reports and the text does not contain. */
export function explanationOf(finish: Finish | undefined, hasRefusal: boolean): string | undefined {
  if (hasRefusal || finish?.reason !== 'content-filter') return undefined
  return finish.explanation === '' ? undefined : finish.explanation
}
