import type {
  Annotation,
  MediaPart,
  Opaque,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../core/neutral/model-request.ts'
import { jsonTextOf, RawJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { decodeAnnotations } from '../values/annotations.ts'
import { decodeCacheMark } from '../values/cache-marks.ts'
import { decodeOpaque, decodeSignatures, isNative } from '../values/opaque.ts'
import { decodeDocument, decodeImage } from './decode-media.ts'
import { isToolChange } from './tool-changes.ts'

/** The parts of a message's content. */
export function decodeContent(content: unknown, at: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrongType(at, 'a string or a list of blocks')
  const parts: Part[] = []
  content.forEach((block: unknown, index) => {
    if (!isObject(block)) throw wrongType(`${at}[${index}]`, 'an object')
    if (isToolChange(block)) return
    decodeBlock(block, `${at}[${index}]`, parts)
  })
  return parts
}

function decodeBlock(block: JsonObject, at: string, parts: Part[]): void {
  switch (block['type']) {
    case 'text':
      parts.push(decodeText(block, at))
      break
    case 'tool_use':
      parts.push(decodeCall(block, at, parts))
      break
    case 'tool_result':
      parts.push(decodeResult(block, at))
      break
    case 'thinking':
      for (const part of decodeThinking(block)) parts.push(part)
      break
    case 'redacted_thinking':
      decodeRedacted(decodeOpaque(block['data'], 'sealed'), parts)
      break
    case 'image':
    case 'document':
    case 'search_result':
      for (const part of decodeResultBlock(block, at)) parts.push(part)
      break
    default:
      parts.push({ type: 'hosted', protocol: 'messages', json: jsonTextOf(block) })
  }
}

function decodeThinking(block: JsonObject): Part[] {
  const text = stringAt(block, 'thinking') ?? ''
  const [opaque, ...others] = decodeSignatures(block['signature'])
  return [
    { type: 'reasoning', text, opaque },
    ...others.map((each): Part => ({ type: 'reasoning', text: '', opaque: each })),
  ]
}

/** A signature in place of reasoning belongs to the text before it; see BlockWriter. */
function decodeRedacted(opaque: Opaque | undefined, parts: Part[]): void {
  const before = parts.at(-1)
  if (before?.type === 'text' && opaque?.kind === 'signature') {
    parts[parts.length - 1] = { ...before, opaque }
  } else parts.push({ type: 'reasoning', text: '', opaque })
}

export function decodeText(block: JsonObject, at: string): TextPart {
  const text = stringAt(block, 'text')
  if (text === undefined) throw wrongType(`${at}.text`, 'a string')
  const cacheMark = decodeCacheMark(block['cache_control'])
  const annotations: readonly Annotation[] = decodeAnnotations(block['citations'])
  return annotations.length > 0
    ? { type: 'text', text, cacheMark, annotations }
    : { type: 'text', text, cacheMark }
}

function decodeCall(block: JsonObject, at: string, parts: Part[]): ToolCallPart {
  const input = block['input'] ?? {}
  const isWhole = input instanceof RawJson ? input.text.startsWith('{') : isObject(input)
  if (!isWhole) throw wrongType(`${at}.input`, 'an object')
  return {
    type: 'tool-call',
    id: requireText(block, 'id', at),
    name: requireText(block, 'name', at),
    form: 'function',
    argumentsText: jsonTextOf(input),
    opaque: takeSignature(parts),
    cacheMark: decodeCacheMark(block['cache_control']),
  }
}

/** Reasoning without text that another vendor has signed, directly before a call, is the signature of the call. */
function takeSignature(parts: Part[]): Opaque | undefined {
  const before = parts.at(-1)
  if (before?.type !== 'reasoning' || before.text !== '') return undefined
  const { opaque } = before
  if (opaque?.kind !== 'signature' || isNative(opaque)) return undefined
  parts.pop()
  return opaque
}

function decodeResult(block: JsonObject, at: string): ToolResultPart {
  return {
    type: 'tool-result',
    callId: requireText(block, 'tool_use_id', at),
    form: 'function',
    parts: decodeResultContent(block['content'] ?? undefined, `${at}.content`),
    isError: block['is_error'] === true,
    cacheMark: decodeCacheMark(block['cache_control']),
  }
}

function decodeResultContent(content: unknown, at: string): (TextPart | MediaPart)[] {
  if (content === undefined) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrongType(at, 'a string or a list of blocks')
  return content.flatMap((block: unknown, index) => {
    if (!isObject(block)) throw wrongType(`${at}[${index}]`, 'an object')
    return decodeResultBlock(block, `${at}[${index}]`)
  })
}

/** The blocks that both a result and a message may contain. */
function decodeResultBlock(block: JsonObject, at: string): (TextPart | MediaPart)[] {
  switch (block['type']) {
    case 'text':
      return [decodeText(block, at)]
    case 'image':
      return [decodeImage(block, at)]
    case 'document':
      return decodeDocument(block, at)
    case 'search_result':
      return [decodeSearchResult(block)]
    case 'tool_reference':
      return [{ type: 'text', text: `Tool: ${stringAt(block, 'tool_name') ?? ''}` }]
    default:
      return [{ type: 'text', text: jsonTextOf(block) }]
  }
}

function decodeSearchResult(block: JsonObject): TextPart {
  const content = Array.isArray(block['content']) ? block['content'] : []
  const texts = content.map((each: unknown) =>
    isObject(each) ? stringAt(each, 'text') : undefined,
  )
  const lines = [stringAt(block, 'title'), stringAt(block, 'source'), ...texts]
  const text = lines.filter((line) => line !== undefined && line !== '').join('\n')
  return { type: 'text', text, cacheMark: decodeCacheMark(block['cache_control']) }
}

function requireText(block: JsonObject, name: string, at: string): string {
  const text = stringAt(block, name)
  if (text === undefined || text === '') throw wrongType(`${at}.${name}`, 'a string')
  return text
}

/** Whether the client wants the answer to cite passages of its documents. */
export function wantsCitations(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.some(
      (block: unknown) => isObject(block) && objectAt(block, 'citations')?.['enabled'] === true,
    )
  )
}
