import type {
  CacheMark,
  MediaPart,
  ModelRequest,
  Part,
  TextPart,
  ToolResultPart,
  Turn,
} from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { encodeCacheMark } from '../values/cache-marks.ts'
import { isFullOpenAi } from './dialect.ts'
import { encodeAssistant } from './encode-assistant.ts'
import { encodeContent } from './encode-content.ts'

/**
 * The conversation as messages. Results come first, directly after their calls. Other parts that the user sent with the
 * results, and images from results, which a result cannot contain here, follow in a user message after the last result.
 */
export function encodeTurns(
  request: ModelRequest,
  instruction: string | undefined,
  target: Target,
  notes: Notes,
): JsonObject[] {
  const role = target.traits.instructionRole ?? 'system'
  const messages: JsonObject[] = []
  let fromResults: MediaPart[] = []
  const flush = (parts: readonly (TextPart | MediaPart)[]): void => {
    const all = fromResults.length === 0 ? parts : [...fromResults, ...parts]
    if (fromResults.length > 0) fromResults = []
    if (all.length > 0) messages.push({ role: 'user', content: encodeContent(all, target, notes) })
  }
  const system = [...request.system, ...textParts(instruction)]
  if (system.length > 0) messages.push({ role, content: encodeContent(system, target, notes) })
  for (const turn of request.turns) {
    if (turn.role === 'user') {
      for (const part of turn.parts) {
        if (part.type !== 'tool-result') continue
        messages.push(encodeResult(part, target))
        addMedia(part, fromResults)
      }
      const content = contentParts(turn.parts, notes)
      if (content.length > 0) flush(content)
      else if (isSilent(turn)) flush(fromResults.length > 0 ? [] : textParts(''))
      continue
    }
    flush([])
    if (turn.role === 'assistant') {
      const message = encodeAssistant(turn.parts, target, notes)
      if (message) messages.push(message)
      continue
    }
    const parts = turn.parts.filter((part) => part.type === 'text' && part.text !== '')
    if (parts.length > 0)
      messages.push({ role, content: encodeContent(parts.filter(isText), target, notes) })
  }
  flush([])
  return messages
}

function addMedia({ parts }: ToolResultPart, media: MediaPart[]): void {
  for (const part of parts) if (part.type === 'media') media.push(part)
}

/** An empty turn of the user still counts as a turn. */
function isSilent({ parts }: Turn): boolean {
  return parts.length > 0 && parts.every(isText)
}

function isText(part: Part): part is TextPart {
  return part.type === 'text'
}

function textParts(text: string | undefined): TextPart[] {
  return text === undefined ? [] : [{ type: 'text', text }]
}

/** The parts of a user turn other than results. Reasoning and calls never belong to a user. */
function contentParts(parts: readonly Part[], notes: Notes): (TextPart | MediaPart)[] {
  const content: (TextPart | MediaPart)[] = []
  for (const part of parts) {
    if (part.type === 'media' || (part.type === 'text' && part.text !== '')) content.push(part)
    else if (part.type === 'refusal') content.push({ type: 'text', text: part.text })
    else if (part.type === 'hosted') notes.lossy('messages', 'hosted_tools_dropped')
  }
  return content
}

/** The protocol has no field for a failed tool, so the text reports the failure. */
function encodeResult(result: ToolResultPart, target: Target): JsonObject {
  const texts = result.parts.map((part) =>
    part.type === 'text' ? part.text : `[${part.kind}: see the message after the results]`,
  )
  if (result.isError) texts[0] = `[tool error] ${texts[0] ?? ''}`
  const marks = target.traits.takesCacheMarks ? marksOf(result) : []
  const isMarked = marks.some((mark) => mark !== undefined)
  const keepsParts = isMarked || (texts.length > 1 && isFullOpenAi(target.traits))
  const content = keepsParts
    ? texts.map((text, index) => ({
        type: 'text',
        text,
        ...encodeCacheMark(marks[index], target),
      }))
    : texts.join('\n\n')
  return { role: 'tool', tool_call_id: result.callId, content }
}

/** The marks of the texts of a result. The mark of an image goes with the image into the user message. */
function marksOf({ parts, cacheMark }: ToolResultPart): (CacheMark | undefined)[] {
  return parts.map((part, index) => {
    const own = part.type === 'text' ? part.cacheMark : undefined
    return own ?? (index === parts.length - 1 ? cacheMark : undefined)
  })
}
