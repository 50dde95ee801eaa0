import type { MediaPart, TextPart } from '../../../core/neutral/model-request.ts'
import { writeJson } from '../../../wire/exact-json.ts'
import { isObject } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { decodeCacheMark } from '../values/cache-marks.ts'
import { requireText } from '../values/read-field.ts'
import { decodeMedia } from './decode-media.ts'

/** The content of a message: a string, or a list of parts. Empty text is dropped. */
export function decodeContent(content: unknown, path: string): (TextPart | MediaPart)[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrongType(path, 'a string or a list of parts')
  const parts: (TextPart | MediaPart)[] = []
  content.forEach((part: unknown, index) => {
    const decoded = decodePart(part, `${path}[${index}]`)
    if (decoded) parts.push(decoded)
  })
  return parts
}

/** A result is accepted in any form, because tools return anything. An object becomes its JSON text. */
export function decodeResultContent(content: unknown, path: string): (TextPart | MediaPart)[] {
  const isPlain = typeof content !== 'object' || content === null || Array.isArray(content)
  if (isPlain && typeof content !== 'number' && typeof content !== 'boolean')
    return decodeContent(content, path)
  return [{ type: 'text', text: writeJson(content) }]
}

function decodePart(part: unknown, path: string): TextPart | MediaPart | undefined {
  if (typeof part === 'string') return part === '' ? undefined : { type: 'text', text: part }
  if (!isObject(part)) throw wrongType(path, 'an object with a type')
  const cacheMark = decodeCacheMark(part)
  if (part['type'] === 'text') {
    const text = requireText(part, 'text', `${path}.`)
    return text === '' ? undefined : { type: 'text', text, cacheMark }
  }
  const media = decodeMedia(part, `${path}.`)
  if (!media)
    throw wrongType(
      `${path}.type`,
      'one of text, image_url, input_audio, audio_url, file, file_url, document_url and video_url',
    )
  return cacheMark ? { ...media, cacheMark } : media
}
