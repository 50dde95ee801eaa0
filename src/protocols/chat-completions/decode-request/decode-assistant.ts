import type {
  Opaque,
  Part,
  ReasoningPart,
  ToolCallPart,
} from '../../../core/neutral/model-request.ts'
import { jsonTextOf } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { openSealed } from '../../fit/seal-opaque.ts'
import { sourceOfUrl } from '../../media-source.ts'
import { formOfCall } from '../values/call-form.ts'
import { nativeIssuer, openDetails } from '../values/opaque.ts'
import {
  readObject,
  readObjects,
  readText,
  requireObject,
  requireText,
} from '../values/read-field.ts'
import { decodeContent } from './decode-content.ts'
import type { LegacyCalls } from './legacy-calls.ts'

/** Decodes an assistant message: reasoning first, then text, refusal and calls. The protocol has no other order. */
export function decodeAssistant(message: JsonObject, path: string, legacy: LegacyCalls): Part[] {
  const { thoughts, content } = splitContent(message['content'], `${path}content`)
  const parts: Part[] = decodeReasoning(message, thoughts, path)
  for (const part of signText(content, message)) parts.push(part)
  const refusal = readText(message, 'refusal', path)
  if (refusal !== undefined && refusal !== '') parts.push({ type: 'refusal', text: refusal })
  if (message['images'] !== undefined) {
    for (const image of decodeImages(message)) parts.push(image)
  }
  if (message['tool_calls'] !== undefined) {
    readObjects(message, 'tool_calls', path).forEach((call, index) => {
      parts.push(decodeCall(call, `${path}tool_calls[${index}].`))
    })
  }
  const functionCall = readObject(message, 'function_call', path)
  if (functionCall) parts.push(decodeLegacyCall(functionCall, `${path}function_call.`, legacy))
  return parts
}

/** Images that a model has generated, in the form that replies use. */
function decodeImages(message: JsonObject): Part[] {
  const images: unknown[] = Array.isArray(message['images']) ? message['images'] : []
  return images.flatMap((image): Part[] => {
    const url = isObject(image) ? stringAt(objectAt(image, 'image_url') ?? {}, 'url') : undefined
    return url === undefined ? [] : [{ type: 'media', kind: 'image', ...sourceOfUrl(url) }]
  })
}

/** Mistral puts reasoning into the content; a refusal may also be there. */
function splitContent(value: unknown, path: string): { thoughts: string; content: Part[] } {
  if (!Array.isArray(value)) return { thoughts: '', content: decodeContent(value, path) }
  let thoughts = ''
  const content: Part[] = []
  value.forEach((part: unknown, index) => {
    const type = isObject(part) ? part['type'] : undefined
    if (isObject(part) && type === 'thinking') thoughts += thinkingText(part['thinking'])
    else if (isObject(part) && type === 'refusal')
      content.push({ type: 'refusal', text: requireText(part, 'refusal', `${path}[${index}].`) })
    else for (const each of decodeContent([part], path)) content.push(each)
  })
  return { thoughts, content }
}

/** Mistral's reasoning: text, or a list of texts. */
export function thinkingText(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking
  if (!Array.isArray(thinking)) return ''
  return thinking
    .map((each: unknown) => (isObject(each) ? (stringAt(each, 'text') ?? '') : ''))
    .join('')
}

function decodeReasoning(message: JsonObject, thoughts: string, path: string): ReasoningPart[] {
  const parts =
    message['reasoning_details'] === undefined
      ? []
      : openDetails(readObjects(message, 'reasoning_details', path))
  const text =
    readText(message, 'reasoning_content', path) ?? readText(message, 'reasoning', path) ?? thoughts
  if (text === '' || parts.some((part) => part.text !== '')) return parts
  const [first, ...others] = parts
  return [first ? { ...first, text } : { type: 'reasoning', text }, ...others]
}

/** Gemini may sign text. Its compatible endpoint then puts the signature on the message. */
function signText(content: Part[], message: JsonObject): Part[] {
  const opaque = readSignature(message)
  if (!opaque) return content
  const at = content.findLastIndex((part) => part.type === 'text')
  return content.map((part, index) =>
    index === at && part.type === 'text' ? { ...part, opaque } : part,
  )
}

function decodeCall(call: JsonObject, path: string): ToolCallPart {
  const id = requireText(call, 'id', path)
  const form = formOfCall(call)
  const inner = requireObject(call, form, path)
  const name = requireText(inner, 'name', `${path}${form}.`)
  const argumentsText =
    form === 'custom'
      ? requireText(inner, 'input', `${path}custom.`)
      : readArguments(inner, `${path}function.`)
  return { type: 'tool-call', id, name, form, argumentsText, opaque: readSignature(call) }
}

function decodeLegacyCall(call: JsonObject, path: string, legacy: LegacyCalls): ToolCallPart {
  const name = requireText(call, 'name', path)
  const argumentsText = readArguments(call, path)
  return { type: 'tool-call', id: legacy.call(name), name, form: 'function', argumentsText }
}

/** The protocol defines JSON text; some clients send the object itself, or nothing. */
function readArguments(call: JsonObject, path: string): string {
  const value = call['arguments'] ?? ''
  if (typeof value === 'string') return value
  if (isObject(value)) return jsonTextOf(value)
  throw wrongType(`${path}arguments`, 'JSON text')
}

/** `extra_content.google.thought_signature`, the form of Google's compatible endpoint. */
function readSignature(value: JsonObject): Opaque | undefined {
  const extra = objectAt(value, 'extra_content')
  const google = extra && objectAt(extra, 'google')
  const data = google && stringAt(google, 'thought_signature')
  if (data === undefined || data === '') return undefined
  return openSealed(data) ?? { issuer: nativeIssuer, kind: 'signature', data }
}
