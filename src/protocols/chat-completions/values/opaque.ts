import type { Opaque, ReasoningPart } from '../../../core/neutral/model-request.ts'
import { GrowingText } from '../../../core/runtime/growing-text.ts'
import { writeJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson, stringAt } from '../../../wire/json.ts'
import { openSealed, sealOpaque } from '../../fit/seal-opaque.ts'

/**
 * `reasoning_details` is OpenRouter's list of reasoning: `reasoning.text` with a signature, `reasoning.summary`, and
 * `reasoning.encrypted` with data. A vendor wants its list back unchanged, so the whole list becomes one opaque token.
 * Only the text of a single entry is taken out, because the reply also has it beside the list.
 */
export type Detail = JsonObject

/** Reasoning without an envelope: the client got it from a vendor of its own. */
export const nativeIssuer = 'native:chat-completions'

/** Adds a piece of a streamed list: text grows, every other member takes its last value. */
export function addDetail(details: Detail[], piece: Detail): void {
  const last = details.at(-1)
  const isMore =
    last !== undefined &&
    piece['type'] !== 'reasoning.encrypted' &&
    last['type'] === piece['type'] &&
    last['index'] === piece['index']
  if (!isMore) {
    details.push(piece)
    return
  }
  const merged: Record<string, unknown> = { ...last }
  for (const [name, value] of Object.entries(piece)) {
    if (value === null || value === '') continue
    const isMoreText = (name === 'text' || name === 'summary') && typeof value === 'string'
    merged[name] = isMoreText ? longer(last[name], value) : value
  }
  details[details.length - 1] = merged
}

function longer(text: unknown, more: string): GrowingText {
  const whole = text instanceof GrowingText ? text : new GrowingText()
  if (typeof text === 'string') whole.add(text)
  whole.add(more)
  return whole
}

/** Joins the texts that arrived in pieces. */
function joined(detail: Detail): Detail {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      value instanceof GrowingText ? value.toString() : value,
    ]),
  )
}

export function textOfDetail(detail: Detail): string {
  return stringAt(detail, 'text') ?? stringAt(detail, 'summary') ?? ''
}

/** Undefined when the list contains nothing that only its issuer can read. */
export function packDetails(list: readonly Detail[], issuer: string): Opaque | undefined {
  const isSealed = list.some((each) => isFilled(each['data']))
  if (!isSealed && !list.some((each) => isFilled(each['signature']))) return undefined
  const details = list.map(joined)
  const [only] = details
  const isLone = details.length === 1 && only !== undefined && isFilled(only['text'])
  const kept = isLone ? [{ ...only, text: undefined }] : details
  return { issuer, kind: isSealed ? 'sealed' : 'signature', data: writeJson(kept) }
}

/** The list as the vendor sent it. */
export function unpackDetails({ text, opaque }: ReasoningPart, index: number): Detail[] {
  const list = opaque ? parseJson(opaque.data) : undefined
  if (!Array.isArray(list)) return text === '' ? [] : [{ type: 'reasoning.text', text, index }]
  const details = list.filter(isObject)
  const [only] = details
  const isLone = details.length === 1 && only?.['type'] === 'reasoning.text'
  return isLone ? [{ ...only, text }] : details
}

/**
 * The list for a client: tokens in envelopes, with the fields that readers of OpenRouter's form expect. A stream has
 * already sent the text in pieces, so the list omits it.
 */
export function sealDetails(
  text: string | undefined,
  opaque: Opaque | undefined,
  index: number,
): Detail[] {
  if (!opaque) return []
  const format = formats[opaque.issuer.slice(0, opaque.issuer.indexOf('/'))] ?? 'unknown'
  const sealed = sealOpaque(opaque)
  if (opaque.kind === 'signature')
    return [{ type: 'reasoning.text', text, signature: sealed, format, index }]
  const encrypted = { type: 'reasoning.encrypted', data: sealed, format, index }
  return text === '' || text === undefined
    ? [encrypted]
    : [{ type: 'reasoning.text', text, format, index }, encrypted]
}

/** OpenRouter's names for the signer. */
const formats: Readonly<Record<string, string>> = {
  anthropic: 'anthropic-claude-v1',
  openai: 'openai-responses-v1',
  google: 'google-gemini-v1',
}

/**
 * The reasoning of an assistant message that a client sends back. A client may have kept the pieces of a stream apart;
 * a text and its sealed reasoning share their index.
 */
export function openDetails(list: readonly Detail[]): ReasoningPart[] {
  const whole: Detail[] = []
  for (const detail of list) addDetail(whole, detail)
  const parts: ReasoningPart[] = []
  const native: Detail[] = []
  for (const detail of whole.map(joined)) {
    const opaque = openSealed(stringAt(detail, 'signature') ?? stringAt(detail, 'data') ?? '')
    if (!opaque) {
      native.push(detail)
      continue
    }
    const before = native.at(-1)
    const isShown =
      before !== undefined && isTextOnly(before) && before['index'] === detail['index']
    if (isShown) native.pop()
    const text = (isShown ? textOfDetail(before) : '') + textOfDetail(detail)
    parts.push({ type: 'reasoning', text, opaque })
  }
  if (native.length > 0) {
    const text = native.map(textOfDetail).join('')
    parts.push({ type: 'reasoning', text, opaque: packDetails(native, nativeIssuer) })
  }
  return parts
}

function isTextOnly(detail: Detail): boolean {
  return !isFilled(detail['signature']) && !isFilled(detail['data'])
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

export function encodeSignature(opaque: Opaque): JsonObject {
  return { google: { thought_signature: sealOpaque(opaque) } }
}
