import type { MediaPart, MediaSource, TextPart } from '../../core/model-request.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../wire/json.ts'
import { wrongType } from '../../wire/read-field.ts'
import { decodeCacheMark } from './cache-mark.ts'

export function decodeImage(block: JsonObject, at: string): MediaPart {
  const source = requireSource(block, at)
  return {
    type: 'media',
    kind: 'image',
    mime: stringAt(source, 'media_type'),
    source: decodeSource(source, `${at}.source`),
    cacheMark: decodeCacheMark(block['cache_control']),
  }
}

/** A document may bring words about itself, and may be made of blocks; both become parts beside it. */
export function decodeDocument(block: JsonObject, at: string): (TextPart | MediaPart)[] {
  const source = requireSource(block, at)
  const cacheMark = decodeCacheMark(block['cache_control'])
  const title = stringAt(block, 'title')
  const context = stringAt(block, 'context')
  const parts: (TextPart | MediaPart)[] = context ? [{ type: 'text', text: context }] : []
  if (source['type'] === 'content') {
    return [...parts, ...decodeInner(source['content'], `${at}.source.content`, title, cacheMark)]
  }
  const isText = source['type'] === 'text'
  const mime = stringAt(source, 'media_type') ?? (isText ? 'text/plain' : undefined)
  parts.push({
    type: 'media',
    kind: 'document',
    mime: mime ?? (source['type'] === 'url' ? 'application/pdf' : undefined),
    source: decodeSource(source, `${at}.source`),
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

function decodeSource(source: JsonObject, at: string): MediaSource {
  switch (source['type']) {
    case 'base64':
      return { type: 'base64', data: requireText(source, 'data', at) }
    case 'url':
      return { type: 'url', url: requireText(source, 'url', at) }
    case 'text':
      return { type: 'text', text: requireText(source, 'data', at) }
    case 'file':
      return { type: 'file', id: requireText(source, 'file_id', at), protocol: 'messages' }
    default:
      throw wrongType(`${at}.type`, '"base64", "url", "text", "content" or "file"')
  }
}

function requireText(source: JsonObject, name: string, at: string): string {
  const text = stringAt(source, name)
  if (text === undefined) throw wrongType(`${at}.${name}`, 'a string')
  return text
}
