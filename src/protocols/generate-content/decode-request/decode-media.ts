import { kindOfMime } from '../../../core/neutral/fold-reply.ts'
import type { MediaPart } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { base64Source, sourceOfUrl } from '../../media-source.ts'
import { objectOf, textOf } from '../values/read-field.ts'

/** Files that were uploaded to the service or are in its storage. No other party can read them. */
const uploaded = /^gs:|\/v1(?:beta|alpha)?\/files\//
const videoPage = /^https?:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//
const kinds: readonly [RegExp, MediaPart['kind']][] = [
  [/\.(?:mp4|mov|webm|mpeg|avi)$/i, 'video'],
  [/\.(?:mp3|wav|ogg|flac|m4a|aac)$/i, 'audio'],
  [/\.(?:pdf|txt|md|csv|html)$/i, 'document'],
]

/** `inlineData` or `fileData`; undefined for any other part. */
export function decodeMedia(part: JsonObject): MediaPart | undefined {
  const detail = readDetail(objectOf(part, 'mediaResolution'))
  const inline = objectOf(part, 'inlineData')
  if (inline) {
    const mime = textOf(inline, 'mimeType')
    const bytes = base64Source(textOf(inline, 'data') ?? '')
    const kind = mime === undefined ? 'document' : kindOfMime(mime)
    const text = mime?.startsWith('text/') ? textOfBase64(bytes.data) : undefined
    const source = text === undefined ? bytes : ({ type: 'text', text } as const)
    return { type: 'media', kind, mime, source, filename: textOf(inline, 'displayName'), detail }
  }
  const file = objectOf(part, 'fileData')
  if (!file) return undefined
  const url = textOf(file, 'fileUri') ?? ''
  const located = sourceOfUrl(url)
  const mime = textOf(file, 'mimeType') ?? located.mime
  const kind = mime === undefined ? kindOfUrl(url) : kindOfMime(mime)
  const source = uploaded.test(url)
    ? ({ type: 'file', id: url, protocol: 'generate-content' } as const)
    : located.source
  return { type: 'media', kind, mime, source, filename: textOf(file, 'displayName'), detail }
}

const details: Readonly<Record<string, string>> = { LOW: 'low', MEDIUM: 'auto', HIGH: 'high' }

/** `MEDIA_RESOLUTION_LOW`; undefined for a value without meaning. */
export function detailOf(resolution: string | undefined): string | undefined {
  const word = resolution?.toUpperCase().replace(/^MEDIA_RESOLUTION_(?:ULTRA_)?/, '')
  return word === undefined ? undefined : details[word]
}

function readDetail(resolution: JsonObject | undefined): string | undefined {
  return resolution && detailOf(textOf(resolution, 'level'))
}

function kindOfUrl(url: string): MediaPart['kind'] {
  if (videoPage.test(url)) return 'video'
  const path = url.replace(/[?#].*$/, '')
  return kinds.find(([pattern]) => pattern.test(path))?.[1] ?? 'image'
}

/** An inline text file: other protocols accept text, but not in base64. */
function textOfBase64(data: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.fromBase64(data))
  } catch {
    return undefined
  }
}
