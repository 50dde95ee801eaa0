import { isObject } from '../../../wire/json.ts'

/** All text in an output item that the model has generated. */
export function textOfItem(item: unknown): string {
  if (!isObject(item)) return ''
  let text = ''
  for (const name of ['name', 'arguments', 'input', 'code']) {
    const part = item[name]
    if (typeof part === 'string') text += part
  }
  return text + textOfParts(item['content']) + textOfParts(item['summary'])
}

/** The text of a reasoning item; empty for other items. */
export function reasoningOfItem(item: unknown): string {
  return isObject(item) && item['type'] === 'reasoning' ? textOfItem(item) : ''
}

function textOfParts(parts: unknown): string {
  if (!Array.isArray(parts)) return ''
  let text = ''
  for (const part of parts) {
    if (!isObject(part)) continue
    if (typeof part['text'] === 'string') text += part['text']
    if (typeof part['refusal'] === 'string') text += part['refusal']
  }
  return text
}
