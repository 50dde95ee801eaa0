import { isObject } from '../wire/json.ts'
import { fieldOf, listOf, textOf } from './json-value.ts'

/** The text of a message's content, a string or a list of parts. Other parts are named in brackets. */
export function readContent(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = isObject(content) ? [content] : listOf(content)
  return parts.map(readPart).join(' ')
}

function readPart(part: unknown): string {
  if (typeof part === 'string') return part
  const text = textOf(fieldOf(part, 'text', 'refusal', 'thinking'))
  return text ?? `[${textOf(fieldOf(part, 'type')) ?? 'media'}]`
}
