import { parseJson } from './json.ts'

/** Where a member of the outermost object stands in the text: [start, end) of its value, and of the whole member. */
export interface MemberSpan {
  readonly memberStart: number
  readonly valueStart: number
  readonly valueEnd: number
}

export type ScanVerdict =
  | { readonly ok: true; readonly members: ReadonlyMap<string, MemberSpan> }
  | { readonly ok: false; readonly problem: string }

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c
const colon = 0x3a

interface Level {
  readonly isObject: boolean
  /** A few names are compared one by one; a set is made only for an object of many. */
  names: string[]
  nameSet: Set<string> | undefined
  expectsName: boolean
}

const namesComparedMax = 12
const noNames: string[] = []

/**
 * One pass over JSON text that is known to parse (or is about to be parsed): bounds the depth, refuses a name
 * that stands twice in one object (the gateway and the upstream could read different values) and `__proto__`,
 * and notes where each member of the outermost object stands so that one of them can be replaced in place.
 * Strings are skipped with a native search, so a large inline image costs next to nothing.
 */
export function scanJson(text: string, depthMax: number): ScanVerdict {
  const members = new Map<string, MemberSpan>()
  const levels: Level[] = []
  let name = ''
  let memberStart = 0
  let valueStart = -1

  const closeMember = (end: number): void => {
    if (levels.length === 1 && levels[0]?.isObject && valueStart >= 0) {
      members.set(name, { memberStart, valueStart, valueEnd: trimEnd(text, end) })
      valueStart = -1
    }
  }

  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    const level = levels[levels.length - 1]
    if (code === quote) {
      const end = stringEnd(text, index)
      if (end < 0) return { ok: false, problem: 'a string is not closed' }
      if (level?.isObject && level.expectsName) {
        const problem = noteName(level, text, index, end)
        if (problem !== undefined) return { ok: false, problem }
        if (levels.length === 1) {
          name = readName(text, index, end)
          memberStart = index
        }
      }
      index = end
    } else if (code === openBrace || code === openBracket) {
      if (levels.length >= depthMax)
        return { ok: false, problem: `it is nested deeper than ${depthMax} levels` }
      levels.push({
        isObject: code === openBrace,
        names: code === openBrace ? [] : noNames,
        nameSet: undefined,
        expectsName: true,
      })
    } else if (code === closeBrace || code === closeBracket) {
      closeMember(index)
      levels.pop()
    } else if (code === comma) {
      closeMember(index)
      if (level) level.expectsName = true
    } else if (code === colon) {
      if (level) level.expectsName = false
      if (levels.length === 1) valueStart = skipSpace(text, index + 1)
    }
  }
  return { ok: true, members }
}

function noteName(level: Level, text: string, start: number, end: number): string | undefined {
  const name = readName(text, start, end)
  if (name === '__proto__') return 'the name "__proto__" is not allowed'
  if (level.nameSet ? level.nameSet.has(name) : level.names.includes(name))
    return `the name ${JSON.stringify(name.slice(0, 80))} stands twice in one object`
  if (level.nameSet) level.nameSet.add(name)
  else if (level.names.push(name) > namesComparedMax) level.nameSet = new Set(level.names)
  return undefined
}

function readName(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end)
  if (!raw.includes('\\')) return raw
  const parsed = parseJson(text.slice(start, end + 1))
  return typeof parsed === 'string' ? parsed : raw
}

/** Index of the closing quote of the string that opens at `start`, or -1. */
function stringEnd(text: string, start: number): number {
  let index = start
  for (;;) {
    index = text.indexOf('"', index + 1)
    if (index < 0) return -1
    let backslashes = 0
    while (text.charCodeAt(index - 1 - backslashes) === backslash) backslashes += 1
    if (backslashes % 2 === 0) return index
  }
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
