import type { MediaPart, TextPart } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { dataUrl } from '../../media-source.ts'
import type { Notes } from '../../notes.ts'

/** A part of a user message. A part that the protocol cannot express is refused, because the answer would ignore it. */
export function encodePart(part: TextPart | MediaPart, notes: Notes): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  switch (part.kind) {
    case 'image':
      return encodeImage(part, notes)
    case 'document':
      return encodeDocument(part, notes)
    case 'audio':
      return encodeAudio(part, notes)
    case 'video':
      return notes.refuse(
        'messages',
        'The upstream of this model does not accept video. Send images or text instead.',
      )
  }
}

function encodeImage(part: MediaPart, notes: Notes): JsonObject {
  const url = addressOf(part, 'image/png')
  if (url === undefined) return refuseFile(notes)
  return { type: 'image_url', image_url: { url, detail: part.detail } }
}

/** Bytes as a data URL, a URL as it is; undefined for a source that has no URL here. */
export function addressOf(
  { source, mime }: Pick<MediaPart, 'source' | 'mime'>,
  otherMime: string,
): string | undefined {
  if (source.type === 'url') return source.url
  if (source.type === 'base64') return dataUrl(mime ?? otherMime, source.data)
  return undefined
}

function encodeDocument(part: MediaPart, notes: Notes): JsonObject {
  const { source, title } = part
  switch (source.type) {
    case 'text':
      return {
        type: 'text',
        text: title === undefined ? source.text : `${title}\n\n${source.text}`,
      }
    case 'base64': {
      const filename = part.filename ?? title ?? 'document.pdf'
      return { type: 'file', file: { filename, file_data: addressOf(part, 'application/pdf') } }
    }
    case 'file':
      if (source.protocol !== 'chat-completions') return refuseFile(notes)
      return { type: 'file', file: { file_id: source.id } }
    case 'url':
      return notes.refuse(
        'messages',
        'The upstream of this model does not fetch documents. Send the document itself in base64.',
      )
  }
}

function refuseFile(notes: Notes): never {
  return notes.refuse(
    'messages',
    'A file id belongs to the vendor it was uploaded to, and this model has another. Send the file itself.',
  )
}

function encodeAudio({ source, mime }: MediaPart, notes: Notes): JsonObject {
  if (source.type !== 'base64') {
    return notes.refuse(
      'messages',
      'The upstream of this model does not fetch audio. Send the audio itself in base64.',
    )
  }
  return { type: 'input_audio', input_audio: { data: source.data, format: audioFormat(mime) } }
}

function audioFormat(mime: string | undefined): string {
  const kind = (mime ?? 'audio/wav').slice('audio/'.length).replace(/^x-/, '')
  if (kind === 'mpeg') return 'mp3'
  return kind === 'wave' ? 'wav' : kind
}
