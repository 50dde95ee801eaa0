import type { MediaPart } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import type { PartContext } from './part-context.ts'

const imageMimes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** The first characters of images in base64, for images without a type. */
const beginnings: readonly (readonly [begin: string, mime: string])[] = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

export function encodeMedia(part: MediaPart, tools: PartContext): JsonObject {
  const { marks, notes } = tools
  switch (part.kind) {
    case 'image':
      if (part.detail !== undefined && part.detail !== 'auto') {
        notes.harmless('messages', 'detail_dropped')
      }
      return { type: 'image', source: imageSource(part, notes), ...marks.take(part.cacheMark) }
    case 'document': {
      const title = part.title ?? part.filename
      return {
        type: 'document',
        source: documentSource(part, notes),
        ...(title ? { title } : {}),
        ...(tools.citesDocuments ? { citations: { enabled: true } } : {}),
        ...marks.take(part.cacheMark),
      }
    }
    case 'audio':
    case 'video':
      return notes.refuse(
        'messages',
        `The upstream of this model does not accept ${part.kind}. Send text, images or documents.`,
      )
  }
}

function imageSource(part: MediaPart, notes: Notes): JsonObject {
  const { source } = part
  if (source.type !== 'base64') return addressOf(part, notes)
  const mime = part.mime === 'image/jpg' ? 'image/jpeg' : (part.mime ?? mimeOf(source.data))
  if (mime === undefined || !imageMimes.includes(mime)) {
    return notes.refuse(
      'messages',
      `The upstream of this model accepts images of the types ${imageMimes.join(', ')}, not ${mime ?? 'of an unknown type'}.`,
    )
  }
  return { type: 'base64', media_type: mime, data: source.data }
}

function mimeOf(data: string): string | undefined {
  return beginnings.find(([begin]) => data.startsWith(begin))?.[1]
}

function documentSource(part: MediaPart, notes: Notes): JsonObject {
  const { source, mime } = part
  if (source.type === 'text') return textSource(source.text)
  if (source.type !== 'base64') return addressOf(part, notes)
  if (mime === 'application/pdf' || (mime === undefined && source.data.startsWith('JVBERi'))) {
    return { type: 'base64', media_type: 'application/pdf', data: source.data }
  }
  const text =
    mime?.startsWith('text/') || mime === 'application/json' ? textOf(source.data) : undefined
  if (text !== undefined) return textSource(text)
  return notes.refuse(
    'messages',
    `The upstream of this model accepts documents of the types application/pdf and text/plain, not ${mime ?? 'of an unknown type'}.`,
  )
}

function textSource(text: string): JsonObject {
  return { type: 'text', media_type: 'text/plain', data: text }
}

function textOf(base64: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.fromBase64(base64))
  } catch {
    return undefined
  }
}

function addressOf({ source }: MediaPart, notes: Notes): JsonObject {
  if (source.type === 'url') return { type: 'url', url: source.url }
  if (source.type === 'file' && source.protocol === 'messages') {
    return { type: 'file', file_id: source.id }
  }
  return notes.refuse(
    'messages',
    'A file that was uploaded to another vendor cannot be read by the upstream of this model. Send its content.',
  )
}
