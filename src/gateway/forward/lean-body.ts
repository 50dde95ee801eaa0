import { Fault } from '../../core/fault.ts'
import type { JsonBody } from '../../protocols/request-facts.ts'
import { findMembers } from '../../wire/find-members.ts'
import { isObject, parseJson } from '../../wire/json.ts'
import type { StringSpan } from '../../wire/sliced-json.ts'
import type { TextCut } from '../../wire/text-cuts.ts'

/**
 * The paths of texts and files, without list indexes. Every protocol writes these values as one JSON string, so a
 * translation sends them with the escapes that they already have. Values that may end up inside another text
 * (arguments, results that are objects, sealed reasoning) are not listed.
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
/** A count in generate-content may contain the whole request. */
const nestedRequest = /^(?:generateContentRequest|generate_content_request)\./

export function isCarried(path: string): boolean {
  return carriedPaths.has(path.replace(nestedRequest, ''))
}

/** The length of both ends of a string that shows its kind: spaces, a brace, the first bytes of a file. */
const headCharacters = 40
const tailCharacters = 8

/** The text other than long strings is read and written in one step, so this limits its length. */
const charactersMax = 6 * 1024 * 1024

/**
 * A body for translation. Texts and media that can be carried over unchanged stay out of it, so that they slow down no
 * step. Strings that cannot be carried over are put back. The `cuts` of the original body fill the translated text.
 */
export function leanBody(body: JsonBody): JsonBody {
  const { text, cuts, longStrings = [], escapes = 0 } = body
  if (!cuts) return checked(body)
  const carried = new Set<TextCut>()
  for (const span of longStrings) if (span.cut && canCarry(text, span)) carried.add(span.cut)
  let characters = text.length
  for (const cut of cuts.list) if (!carried.has(cut)) characters += cut.characters
  if (characters > charactersMax) throw tooLong()
  let lean = ''
  let at = 0
  let escapesLeft = escapes
  for (const cut of cuts.list) {
    if (carried.has(cut)) escapesLeft -= cut.escapes
    else {
      lean += text.slice(at, cut.at) + decoder.decode(cut.bytes)
      at = cut.at + cut.markLength
    }
  }
  lean += text.slice(at)
  const value = parseJson(lean)
  if (!isObject(value)) throw new Error('a long body is no JSON without its long strings')
  return checked({ text: lean, value, members: findMembers(lean), escapes: escapesLeft })
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A translated text is read and written in one step, and an escape sequence takes ten times as long as a letter. */
const escapesMax = 1_000_000

function checked(body: JsonBody): JsonBody {
  const { text, escapes = 0 } = body
  if (escapes > escapesMax) {
    throw new Fault(
      'request_too_large',
      `The request has more than ${escapesMax} escape sequences in its strings, too many to translate for the upstream of this model. Send letters beyond ASCII as UTF-8 instead of \\u escapes, or use a model whose upstream speaks your protocol.`,
      { isFinal: true },
    )
  }
  if (text.length > charactersMax) throw tooLong()
  return body
}

function tooLong(): Fault {
  return new Fault(
    'request_too_large',
    `The request has more than ${charactersMax} characters besides its texts and images, such as arguments of calls and results that are JSON: too many to translate for the upstream of this model. Send less of it, or use a model whose upstream speaks your protocol.`,
    { isFinal: true },
  )
}

/** Files whose text a translation may have to read stay in the body. */
const unreadData = /^(?:data:(?:image|audio|video)\/|data:application\/pdf)/i
const unreadFile = /^(?:iVBORw0KGgo|\/9j\/|\\\/9j\\\/|R0lGOD[dl]h|UklGR|JVBERi)/

/** Tool results. A result that is JSON may be written as an object, where its text would be escaped once less. */
const resultPaths = new Set([
  'messages.content',
  'messages.content.content',
  'messages.content.content.text',
  'input.output',
  'input.output.text',
])
const beginsLikeJson = /^(?:\s|\\[nrt])*[{[]/
/** A translation drops blank texts and trailing spaces. */
const isBlank = /^(?:\s|\\[nrtf]|\\u[0-9a-f]{4})*$/i

/** Whether a translation may write a string with a mark in its middle. */
function canCarry(text: string, { start, end, path, cut }: StringSpan): boolean {
  if (!cut) return false
  const head = text.slice(start, cut.at)
  const tail = text.slice(cut.at + cut.markLength, end)
  const isAddress = /(?:url|file_data)$/.test(path)
  if (isAddress && !(unreadData.test(head) && head.includes(','))) return false
  if (path.endsWith('.data') && !unreadFile.test(head)) return false
  const isFile = isAddress || path.endsWith('.data')
  if (isFile && !isPlainBase64(head.slice(head.indexOf(',') + 1), cut.bytes, tail)) return false
  if (resultPaths.has(path) && beginsLikeJson.test(head)) return false
  return !isBlank.test(head.slice(0, headCharacters)) && !isBlank.test(tail.slice(-tailCharacters))
}

const base64Group = 4
const odd = Array.from('-_% \\', (letter) => letter.charCodeAt(0))

/** A file in any other spelling is translated into this one. The test looks for few characters, so it is fast. */
function isPlainBase64(head: string, middle: Uint8Array, tail: string): boolean {
  if ((head.length + middle.length + tail.length) % base64Group !== 0) return false
  if (odd.some((code) => middle.includes(code))) return false
  return !/[-_% \\]/.test(head + tail)
}
