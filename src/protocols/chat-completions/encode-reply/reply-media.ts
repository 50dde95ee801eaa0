import type { PartHead } from '../../../core/neutral/reply-event.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { addressOf } from '../encode-request/encode-media.ts'

type MediaHead = Extract<PartHead, { type: 'media' }>

/** OpenRouter's form of an image in a reply; undefined for media that the protocol cannot express. */
export function encodeImage(media: MediaHead, index: number): JsonObject | undefined {
  const url = media.mime.startsWith('image/') ? addressOf(media, media.mime) : undefined
  return url === undefined ? undefined : { type: 'image_url', image_url: { url }, index }
}

/** Audio that the protocol can carry, in base64; undefined for any other media. */
export function encodeAudio(media: MediaHead): string | undefined {
  const isAudio = media.mime.startsWith('audio/') && media.source.type === 'base64'
  return isAudio ? media.source.data : undefined
}

/** The protocol's own form of audio. Later requests cannot refer to it. */
export function audioObject(data: string, answer: number): JsonObject {
  return { id: `audio_${answer}`, data, expires_at: 0, transcript: '' }
}
