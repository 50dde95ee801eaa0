import { backslash, quote } from './char-codes.ts'
import { parseJson } from './json.ts'

/** This many characters are checked here. A native search handles the rest of a long string such as an inline image. */
const scannedMax = 64

/** Index of the closing quote of the string that opens at `start`, or -1. */
export function stringEnd(text: string, start: number): number {
  const near = Math.min(text.length, start + scannedMax)
  let index = start + 1
  for (; index < near; index += 1) {
    const code = text.charCodeAt(index)
    if (code === quote) return index
    if (code === backslash) index += 1
  }
  for (let at = text.indexOf('"', index); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (at - 1 - backslashes >= index && text.charCodeAt(at - 1 - backslashes) === backslash)
      backslashes += 1
    if (backslashes % 2 === 0) return at
  }
  return -1
}

/** The member name between these two quotes. */
export function readName(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end)
  if (!raw.includes('\\')) return raw
  const parsed = parseJson(text.slice(start, end + 1))
  return typeof parsed === 'string' ? parsed : raw
}

export function isEscaped(text: string, start: number, end: number): boolean {
  for (let index = start + 1; index < end; index += 1) {
    if (text.charCodeAt(index) === backslash) return true
  }
  return false
}
