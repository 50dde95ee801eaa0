import type { MediaPart, MediaSource, TextPart } from '../../../core/neutral/model-request.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { base64Source, type MediaLocation, sourceOfUrl } from '../../media-source.ts'
import { decodeCacheMark } from '../values/cache-marks.ts'

export function decodeImage(block: JsonObject, at: string): MediaPart {
  const source = requireSource(block, at)
  const located = decodeSource(source, `${at}.source`)
  return {
    type: 'media',
    kind: 'image',
    mime: stringAt(source, 'media_type') ?? located.mime,
    source: located.source,
    cacheMark: decodeCacheMark(block['cache_control']),
  }
}

/**
 * A document may have a context text, and may consist of blocks. The context becomes a text part before the document;
 * blocks become parts of their own.
 */
export function decodeDocument(block: JsonObject, at: string): (TextPart | MediaPart)[] {
  const source = requireSource(block, at)
  const cacheMark = decodeCacheMark(block['cache_control'])
  const title = stringAt(block, 'title')
  const context = stringAt(block, 'context')
  const parts: (TextPart | MediaPart)[] = context ? [{ type: 'text', text: context }] : []
  if (source['type'] === 'content') {
    return [...parts, ...decodeInner(source['content'], `${at}.source.content`, title, cacheMark)]
  }
  const located = decodeSource(source, `${at}.source`)
  parts.push({
    type: 'media',
    kind: 'document',
    mime: stringAt(source, 'media_type') ?? located.mime ?? usualMime(located.source),
    source: located.source,
    title,
    cacheMark,
  })
  return parts
}

function decodeInner(
  content: unknown,
  at: string,
  title: string | undefined,
  cacheMark: MediaPart['cacheMark'],
): (TextPart | MediaPart)[] {
  const isList = Array.isArray(content)
  const blocks: unknown[] = isList ? content : [{ type: 'text', text: content }]
  const texts = blocks.map((block) =>
    isObject(block) && block['type'] === 'text' ? (stringAt(block, 'text') ?? '') : '',
  )
  const images = blocks.flatMap((block, index) =>
    isObject(block) && block['type'] === 'image' ? [decodeImage(block, `${at}[${index}]`)] : [],
  )
  const text = texts.filter((each) => each !== '').join('\n\n')
  if (text === '') return images
  const source: MediaSource = { type: 'text', text }
  return [
    { type: 'media', kind: 'document', mime: 'text/plain', source, title, cacheMark },
    ...images,
  ]
}

function requireSource(block: JsonObject, at: string): JsonObject {
  const source = objectAt(block, 'source')
  if (!source) throw wrongType(`${at}.source`, 'an object')
  return source
}

/** The type of a document that does not state it. */
function usualMime(source: MediaSource): string | undefined {
  if (source.type === 'text') return 'text/plain'
  return source.type === 'url' ? 'application/pdf' : undefined
}

function decodeSource(source: JsonObject, at: string): MediaLocation {
  switch (source['type']) {
    case 'base64':
      return { mime: undefined, source: base64Source(requireText(source, 'data', at)) }
    case 'url':
      return sourceOfUrl(requireText(source, 'url', at))
    case 'text':
      return { mime: undefined, source: { type: 'text', text: requireText(source, 'data', at) } }
    case 'file': {
      const id = requireText(source, 'file_id', at)
      return { mime: undefined, source: { type: 'file', id, protocol: 'messages' } }
    }
    default:
      throw wrongType(`${at}.type`, '"base64", "url", "text", "content" or "file"')
  }
}

function requireText(source: JsonObject, name: string, at: string): string {
  const text = stringAt(source, name)
  if (text === undefined) throw wrongType(`${at}.${name}`, 'a string')
  return text
}
