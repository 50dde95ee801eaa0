import type { JsonBody } from '../protocols/protocol.ts'
import { findMembers } from '../wire/find-members.ts'
import { isObject, parseJson } from '../wire/json.ts'
import type { StringSpan } from '../wire/sliced-json.ts'

/**
 * Where people's words and their files stand, lists left out. Every protocol writes them as one JSON string of its own,
 * so they go out as they are escaped already. What may end up inside of another text (arguments, results that are
 * objects, thoughts that are sealed) is not among them.
 */
const carriedPaths = new Set([
  'messages.content',
  'messages.content.text',
  'messages.content.content',
  'messages.content.content.text',
  'messages.content.image_url',
  'messages.content.image_url.url',
  'messages.content.file.file_data',
  'messages.content.source.data',
  'messages.content.content.source.data',
  'system',
  'system.text',
  'input',
  'input.content',
  'input.content.text',
  'input.content.image_url',
  'input.content.file_data',
  'input.output',
  'input.output.text',
  'input.output.image_url',
  'instructions',
  'contents.parts.text',
  'contents.parts.inlineData.data',
  'contents.parts.inline_data.data',
  'systemInstruction.parts.text',
  'system_instruction.parts.text',
])
/** A count of generate-content may hold the whole request. */
const nestedRequest = /^(?:generateContentRequest|generate_content_request)\./

export function isCarried(path: string): boolean {
  return carriedPaths.has(path.replace(nestedRequest, ''))
}

/**
 * What stays at both ends of a string, so that its kind can be told: spaces, a brace, the first bytes of a file. Of
 * base64 whole groups of four stay.
 */
const headCharacters = 40
const tailCharacters = 8
/** How far the beginning of a data URL is looked through for its data. */
const dataHeadCharacters = 160
/** An escape sequence has no more characters. */
const escapeCharacters = 6
/** A shorter piece is not worth a mark. */
const markedMin = 64

/** A long body with its texts taken out, so that no step of a translation takes longer for them. */
export interface LeanBody {
  readonly body: JsonBody
  /** What was written of it, with the texts in their places. */
  fill(text: string): string
}

/** Undefined when there is nothing to take out. */
export function leanBody(
  { text, longStrings, escapes = 0 }: JsonBody,
  mint: (prefix: string) => string,
): LeanBody | undefined {
  if (longStrings === undefined) return undefined
  const cuts = longStrings.flatMap((span) => cutOf(text, span) ?? [])
  if (cuts.length === 0) return undefined
  // New for each request: no caller can write it into a text.
  const prefix = prefixOf(mint('text'))
  let lean = ''
  let at = 0
  for (const [index, { start, end }] of cuts.entries()) {
    lean += text.slice(at, start) + markOf(prefix, index)
    at = end
  }
  lean += text.slice(at)
  let escapesLeft = escapes
  for (const cut of cuts) escapesLeft -= cut.escapes
  const value = parseJson(lean)
  if (!isObject(value)) return undefined
  return {
    body: { text: lean, value, members: findMembers(lean), escapes: escapesLeft },
    fill: (written) => fill(written, prefix, (index) => cuts[index], text),
  }
}

const indexDigits = 6
const base64Group = 4

/** A mark must pass for base64 wherever it stands for some: of that alphabet, and of whole groups of four. */
function prefixOf(id: string): string {
  const letters = id.replaceAll(/[^A-Za-z0-9]/g, '')
  const length = Math.ceil((letters.length + indexDigits) / base64Group) * base64Group
  return letters.padEnd(length - indexDigits, 'x')
}

type Cut = Pick<StringSpan, 'start' | 'end' | 'escapes'>

function markOf(prefix: string, index: number): string {
  return `${prefix}${String(index).padStart(indexDigits, '0')}`
}

function fill(
  written: string,
  prefix: string,
  cutAt: (index: number) => Cut | undefined,
  text: string,
): string {
  let filled = ''
  let from = 0
  for (let at = written.indexOf(prefix); at >= 0; at = written.indexOf(prefix, from)) {
    const digits = at + prefix.length
    const cut = cutAt(Number(written.slice(digits, digits + indexDigits)))
    if (!cut) throw new Error('a body holds the mark of a text that it never had')
    filled += written.slice(from, at) + text.slice(cut.start, cut.end)
    from = digits + indexDigits
  }
  return filled + written.slice(from)
}

/** Files whose text a translation may have to read are left in. */
const unreadData = /^(?:data:(?:image|audio|video)\/|data:application\/pdf)/i
const unreadFile = /^(?:iVBORw0KGgo|\/9j\/|\\\/9j\\\/|R0lGOD[dl]h|UklGR|JVBERi)/

/** Results of tools: one that is JSON may be written as an object, in which its text would be escaped once less. */
const resultPaths = new Set([
  'messages.content',
  'messages.content.content',
  'messages.content.content.text',
  'input.output',
  'input.output.text',
])
const beginsLikeJson = /^(?:\s|\\[nrt])*[{[]/
/** A text of spaces is left out, and spaces at its end are. */
const isBlank = /^(?:\s|\\[nrtf]|\\u[0-9a-f]{4})*$/i

/** The part of a string that is taken out: no escape sequence and no pair of surrogates is cut in two. */
function cutOf(text: string, { start, end, path, escapes }: StringSpan): Cut | undefined {
  const head = text.slice(start, start + dataHeadCharacters)
  const isAddress = /(?:url|file_data)$/.test(path)
  if (isAddress && !unreadData.test(head)) return undefined
  if (path.endsWith('.data') && !unreadFile.test(head)) return undefined
  const comma = isAddress ? head.indexOf(',') : -1
  if (isAddress && comma < 0) return undefined
  const isFile = isAddress || path.endsWith('.data')
  if (isFile && !isPlainBase64(text.slice(start + comma + 1, end))) return undefined
  const cutStart = cutBehind(text, start + comma + 1, headCharacters)
  const cutEnd = cutBefore(text, end, tailCharacters)
  const isJson = resultPaths.has(path) && beginsLikeJson.test(head)
  if (isJson || isBlank.test(head.slice(0, headCharacters))) return undefined
  if (isBlank.test(text.slice(end - tailCharacters, end))) return undefined
  if (cutEnd === undefined || cutEnd - cutStart < markedMin) {
    return undefined
  }
  return { start: cutStart, end: cutEnd, escapes }
}

/** Any other spelling of a file is left in, and translated into this one. Looks for few characters, so it is quick. */
function isPlainBase64(text: string): boolean {
  if (text.length % base64Group !== 0) return false
  return !['-', '_', '%', ' ', '\\'].some((odd) => text.includes(odd))
}

/** The first place from there on, counted from the beginning of a string, that lies between two characters. */
function cutBehind(text: string, start: number, characters: number): number {
  let at = start
  while (at < start + characters) {
    if (text[at] !== '\\') at += 1
    else at += text[at + 1] === 'u' ? escapeCharacters : 2
  }
  return isSecondHalf(text, at) ? at + 1 : at
}

/** The last place before there, counted from the end of a string. */
function cutBefore(text: string, end: number, characters: number): number | undefined {
  for (let at = end - characters; at > end - characters - 2 * escapeCharacters; at -= 1) {
    if (!isSecondHalf(text, at) && !isInsideEscape(text, at)) return at
  }
  return undefined
}

function isSecondHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}

function isInsideEscape(text: string, at: number): boolean {
  if (isEscape(text, at - 1)) return true
  for (let from = at - 2; from > at - escapeCharacters; from -= 1) {
    if (text[from + 1] === 'u' && isEscape(text, from)) return true
  }
  return false
}

/** Whether a backslash stands there that begins an escape sequence. */
function isEscape(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}
