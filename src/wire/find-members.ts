import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
} from './char-codes.ts'
import { readName, stringEnd } from './json-string.ts'

/** Position of a member of the outermost object in the text: [start, end) of its value, and of the whole member. */
export interface MemberSpan {
  readonly memberStart: number
  readonly valueStart: number
  readonly valueEnd: number
}

/** Finds the members of the outermost object of a JSON text, so that one member can be replaced in place. */
export function findMembers(text: string): Map<string, MemberSpan> {
  const members = new Map<string, MemberSpan>()
  let depth = 0
  let name = ''
  let memberStart = -1
  let valueStart = -1
  for (let index = skipSpace(text, 0); index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (depth === 0 && code !== openBrace) return members
    if (code === quote) {
      const end = stringEnd(text, index)
      if (end < 0) return members
      if (depth === 1 && memberStart < 0) {
        name = readName(text, index, end)
        memberStart = index
      }
      index = end
    } else if (code === openBrace || code === openBracket) {
      depth += 1
    } else if (code === colon && depth === 1) {
      valueStart = skipSpace(text, index + 1)
    } else if (code === closeBrace || code === closeBracket || code === comma) {
      if (depth === 1 && valueStart >= 0) {
        members.set(name, { memberStart, valueStart, valueEnd: trimEnd(text, index) })
        memberStart = -1
        valueStart = -1
      }
      if (code !== comma) depth -= 1
      if (depth === 0) return members
    }
  }
  return members
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function skipSpace(text: string, index: number): number {
  let at = index
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1
  return at
}

function trimEnd(text: string, end: number): number {
  let at = end
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at -= 1
  return at
}
