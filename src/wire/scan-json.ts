import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
} from './char-codes.ts'
import { findMembers, type MemberSpan } from './find-members.ts'
import { type JsonLimits, protoRefused, repeatedName, tooDeep } from './json-limits.ts'
import { isEscaped, readName, stringEnd } from './json-string.ts'
import { NameStack } from './name-stack.ts'

export type { MemberSpan } from './find-members.ts'

/** A text with more names and items than `nodesMax` is not refused; it must be read in slices. */
export type ScanVerdict =
  | Scanned
  | { readonly ok: false; readonly problem: string; readonly isLong?: true }

/** A text that has passed. The members are located on demand: most texts are forwarded unchanged. */
class Scanned {
  readonly ok = true
  readonly #text: string
  #members: ReadonlyMap<string, MemberSpan> | undefined

  constructor(text: string) {
    this.#text = text
  }

  get members(): ReadonlyMap<string, MemberSpan> {
    this.#members ??= findMembers(this.#text)
    return this.#members
  }
}

const names = new NameStack()

/**
 * One pass over JSON text that is known to parse (or is about to be parsed). Limits the depth, and refuses `__proto__`
 * and a name that occurs twice in one object (the gateway and the upstream could read different values).
 */
export function scanJson(
  text: string,
  depthMax: number,
  nodesMax: JsonLimits['nodesMax'] = Number.POSITIVE_INFINITY,
): ScanVerdict {
  let depth = 0
  let nodes = 0
  let expectsName = false
  names.begin()
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === quote) {
      const end = stringEnd(text, index)
      if (end < 0) return { ok: false, problem: 'a string is not closed' }
      if (expectsName && names.isInObject) {
        const isPlain = !isEscaped(text, index, end)
        if (isProto(text, index, end, isPlain)) return { ok: false, problem: protoRefused }
        if (!names.add(text, index, end, isPlain))
          return { ok: false, problem: repeatedName(readName(text, index, end)) }
        expectsName = false
      }
      index = end
    } else if (code === openBrace || code === openBracket) {
      if (depth >= depthMax) return { ok: false, problem: tooDeep(depthMax) }
      depth += 1
      names.open(code === openBrace)
      expectsName = true
      nodes += 1
    } else if (code === closeBrace || code === closeBracket) {
      if (depth > 0) depth -= 1
      names.close()
      expectsName = false
    } else if (code === comma) {
      expectsName = true
      nodes += 1
      if (nodes > nodesMax) return { ok: false, problem: '', isLong: true }
    } else if (code === colon) {
      expectsName = false
    }
  }
  return new Scanned(text)
}

const proto = '__proto__'

function isProto(text: string, start: number, end: number, isPlain: boolean): boolean {
  if (!isPlain) return readName(text, start, end) === proto
  return end - start - 1 === proto.length && text.startsWith(proto, start + 1)
}
