import type {
  CacheMark,
  MediaPart,
  Opaque,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import type { CacheMarks } from '../values/cache-marks.ts'
import { encodeArguments } from '../values/call-arguments.ts'
import { isOwn } from '../values/opaque.ts'
import { encodeMedia } from './encode-media.ts'
import type { PartContext } from './part-context.ts'

/** A block, or a block that is written as it was sent. */
export type Block = JsonObject | RawJson

export function encodeContent(parts: readonly Part[], tools: PartContext): Block[] {
  const blocks: Block[] = []
  for (const part of parts) encodePart(part, tools, blocks)
  return blocks
}

function encodePart(part: Part, tools: PartContext, blocks: Block[]): void {
  const { issuer, marks, notes } = tools
  switch (part.type) {
    case 'text':
      if (part.opaque) notes.harmless('reasoning', 'history_dropped')
      if (hasVisibleText(part.text)) blocks.push(encodeText(part, marks))
      break
    case 'refusal':
      if (hasVisibleText(part.text)) blocks.push({ type: 'text', text: part.text })
      break
    case 'reasoning':
      if (part.opaque && isOwn(part.opaque, issuer)) blocks.push(encodeOwn(part.text, part.opaque))
      else notes.harmless('reasoning', 'history_dropped')
      break
    case 'tool-call':
      if (part.opaque && isOwn(part.opaque, issuer)) blocks.push(encodeOwn('', part.opaque))
      else if (part.opaque) notes.harmless('reasoning', 'history_dropped')
      blocks.push(encodeCall(part, marks, notes))
      break
    case 'tool-result':
      blocks.push(encodeResult(part, tools))
      break
    case 'media':
      blocks.push(encodeMedia(part, tools))
      break
    case 'hosted':
      if (part.protocol === 'messages') blocks.push(new RawJson(part.json))
      else notes.harmless('messages', 'hosted_dropped')
  }
}

/** The API rejects blocks that contain only whitespace. */
export function hasVisibleText(text: string): boolean {
  return /\S/.test(text)
}

export function encodeText(part: TextPart, marks: CacheMarks): JsonObject {
  if (!part.cacheMark) return { type: 'text', text: part.text }
  return { type: 'text', text: part.text, ...marks.take(part.cacheMark) }
}

function encodeOwn(text: string, { kind, data }: Opaque): JsonObject {
  return kind === 'signature'
    ? { type: 'thinking', thinking: text, signature: data }
    : { type: 'redacted_thinking', data }
}

function encodeCall(part: ToolCallPart, marks: CacheMarks, notes: Notes): JsonObject {
  const input = encodeArguments(part.argumentsText)
  if (input.isWrapped) notes.harmless('messages', 'arguments_wrapped')
  return {
    type: 'tool_use',
    id: part.id,
    name: part.name,
    input: input.value,
    ...marks.take(part.cacheMark),
  }
}

function encodeResult(part: ToolResultPart, tools: PartContext): JsonObject {
  return {
    type: 'tool_result',
    tool_use_id: part.callId,
    content: encodeResultContent(part.parts, tools),
    is_error: part.isError ? true : undefined,
    ...tools.marks.take(part.cacheMark ?? markOfEmptyText(part)),
  }
}

/** Blank texts are left out; the last mark of them becomes that of the result. */
function markOfEmptyText({ parts }: ToolResultPart): CacheMark | undefined {
  return parts.findLast(
    (each) => each.type === 'text' && !hasVisibleText(each.text) && each.cacheMark,
  )?.cacheMark
}

function encodeResultContent(
  parts: readonly (TextPart | MediaPart)[],
  tools: PartContext,
): string | JsonObject[] | undefined {
  const [first] = parts
  if (parts.length === 1 && first?.type === 'text' && !first.cacheMark) return first.text
  const blocks = parts.flatMap((part) => {
    if (part.type === 'media') return [encodeMedia(part, tools)]
    return hasVisibleText(part.text) ? [encodeText(part, tools.marks)] : []
  })
  return blocks.length > 0 ? blocks : undefined
}
