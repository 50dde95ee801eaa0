import { parseJson } from '../../../wire/json.ts'
import type { MemberSpan } from '../../../wire/scan-json.ts'

const messageDepth = 2

interface Span {
  readonly start: number
  readonly end: number
}

/** The spans of `role: <role>` in the messages, quotes included. The text is known to be valid JSON. */
export function roleSpans(text: string, messages: MemberSpan, role: string): Span[] {
  const spans: Span[] = []
  let depth = 0
  let name: unknown
  let isName = true
  for (let at = messages.valueStart; at < messages.valueEnd; at += 1) {
    switch (text[at]) {
      case '{':
      case '[':
        depth += 1
        isName = true
        break
      case '}':
      case ']':
        depth -= 1
        break
      case ',':
        isName = true
        break
      case ':':
        isName = false
        break
      case '"': {
        const end = stringEnd(text, at)
        // Only the members of a message itself count, not those of its parts.
        if (depth === messageDepth) {
          const value = parseJson(text.slice(at, end))
          if (isName) name = value
          else if (name === 'role' && value === role) spans.push({ start: at, end })
        }
        at = end - 1
        break
      }
      default:
        break
    }
  }
  return spans
}

/** The position after the closing quote. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes += 1
  return slashes % 2 === 1
}
