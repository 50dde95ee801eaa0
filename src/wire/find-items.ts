import { stringEnd } from './json-string.ts'

/** Position of a list item in the text, [start, end), including the whitespace after the item. */
export interface ItemSpan {
  readonly start: number
  readonly end: number
}

/** Finds the items of a JSON list in its text, so that one item can be replaced in place. */
export function findItems(text: string): ItemSpan[] {
  const items: ItemSpan[] = []
  let depth = 0
  let start = -1
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (character === ' ' || character === '\n' || character === '\r' || character === '\t')
      continue
    const closes = character === ']' || character === '}'
    if (closes) depth -= 1
    if ((closes && depth === 0) || (character === ',' && depth === 1)) {
      if (start >= 0) items.push({ start, end: index })
      start = -1
      if (depth === 0) return items
      continue
    }
    if (depth === 1 && start < 0 && !closes) start = index
    if (character === '"') {
      const end = stringEnd(text, index)
      if (end < 0) return items
      index = end
    } else if (character === '[' || character === '{') depth += 1
  }
  return items
}
