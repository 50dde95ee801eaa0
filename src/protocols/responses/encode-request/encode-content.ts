import type { MediaPart, Part, TextPart } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { dataUrl } from '../../media-source.ts'
import type { Notes } from '../../notes.ts'

/** A user message or a tool result: a single text as a string, anything else as a list of parts. */
export function encodeContent(
  parts: readonly (TextPart | MediaPart)[],
  notes: Notes,
): string | JsonObject[] {
  const [first] = parts
  if (first?.type === 'text' && parts.length === 1) return first.text
  return parts.map((part) =>
    part.type === 'text' ? { type: 'input_text', text: part.text } : encodeMedia(part, notes),
  )
}

function encodeMedia(part: MediaPart, notes: Notes): JsonObject {
  if (part.source.type === 'text') {
    const title = part.title ?? part.filename
    const text = title === undefined ? part.source.text : `${title}\n\n${part.source.text}`
    return { type: 'input_text', text }
  }
  switch (part.kind) {
    case 'image':
      return { type: 'input_image', ...imageSource(part, notes), detail: detailOf(part) }
    case 'document':
      return { type: 'input_file', ...fileSource(part, notes) }
    case 'audio':
      return encodeAudio(part, notes)
    case 'video':
      return notes.refuse(
        'messages',
        'The upstream of this model does not accept video. Send images or text instead.',
      )
  }
}

const details = ['low', 'high', 'auto', 'original']

function detailOf({ detail }: MediaPart): string {
  return detail !== undefined && details.includes(detail) ? detail : 'auto'
}

function imageSource({ source, mime }: MediaPart, notes: Notes): JsonObject {
  switch (source.type) {
    case 'base64':
      return { image_url: dataUrl(mime ?? 'image/png', source.data) }
    case 'url':
      return { image_url: source.url }
    case 'file':
      return { file_id: ownFile(source, notes) }
    case 'text':
      return {}
  }
}

/** Inline data require a file name, and the vendor reads its extension. */
function fileSource({ source, mime, filename, title }: MediaPart, notes: Notes): JsonObject {
  switch (source.type) {
    case 'base64': {
      const type = mime ?? 'application/pdf'
      const name = filename ?? title ?? `document.${type.slice(type.lastIndexOf('/') + 1)}`
      return { filename: name, file_data: dataUrl(type, source.data) }
    }
    case 'url':
      return { file_url: source.url }
    case 'file':
      return { file_id: ownFile(source, notes) }
    case 'text':
      return {}
  }
}

/** A file id of another protocol's client belongs to an unknown vendor. */
function ownFile(source: { id: string; protocol: string }, notes: Notes): string {
  if (source.protocol === 'responses') return source.id
  return notes.refuse(
    'messages',
    'A file that was uploaded to another vendor cannot be read by the upstream of this model. Send its content.',
  )
}

const audioFormats: Readonly<Record<string, string>> = {
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
}

function encodeAudio({ source, mime }: MediaPart, notes: Notes): JsonObject {
  const format = audioFormats[mime ?? '']
  if (source.type === 'base64' && format !== undefined) {
    return { type: 'input_audio', input_audio: { data: source.data, format } }
  }
  return notes.refuse(
    'messages',
    'The upstream of this model accepts audio only inline, as mp3 or wav.',
  )
}

export function isContent(part: Part): part is TextPart | MediaPart {
  return part.type === 'text' || part.type === 'media'
}
