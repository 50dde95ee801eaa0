import { Fault } from '../../core/fault.ts'
import type { JsonBody } from '../../protocols/protocol.ts'
import { findMembers } from '../../wire/find-members.ts'
import { isObject, parseJson } from '../../wire/json.ts'
import type { StringSpan } from '../../wire/sliced-json.ts'
import type { TextCut } from '../../wire/text-cuts.ts'

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

/** How much of both ends of a string tells its kind: spaces, a brace, the first bytes of a file. */
const headCharacters = 40
const tailCharacters = 8

/** What is read and written in one go must be short enough for that: so much besides long texts. */
const charactersMax = 6 * 1024 * 1024

/**
 * A body as it is translated: texts and media that can be carried over as they are stay out of it, so that no step of a
 * translation takes longer for them. What cannot be carried over goes back to its place. What is written of it is filled
 * by the `cuts` of the body that it was made of.
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

/** A translated text is read and written again in one go, and an escape sequence takes ten times as long as a letter. */
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

/** Whether a translation may write a string with the mark that stands in its middle. */
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

/** Any other spelling of a file is left in, and translated into this one. Looks for few characters, so it is quick. */
function isPlainBase64(head: string, middle: Uint8Array, tail: string): boolean {
  if ((head.length + middle.length + tail.length) % base64Group !== 0) return false
  if (odd.some((code) => middle.includes(code))) return false
  return !/[-_% \\]/.test(head + tail)
}
