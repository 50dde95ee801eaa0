import type { Part, TextPart, Turn } from '../../../core/neutral/model-request.ts'
import { parseKeepingText } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { decodeContent, decodeText } from './decode-content.ts'
import { isToolChange } from './tool-changes.ts'

/** Members with JSON that belongs to the client and its tools, not to the protocol. */
export const clientMembers = new Set(['input', 'input_schema', 'schema', 'input_examples'])

export function decodeTurns(value: JsonObject): { system: TextPart[]; turns: Turn[] } {
  const system = decodeSystem(value['system'] ?? undefined, 'system')
  const turns: Turn[] = []
  const messages: unknown[] = Array.isArray(value['messages']) ? value['messages'] : []
  messages.forEach((message, index) => {
    if (!isObject(message)) throw wrongType(`messages[${index}]`, 'an object')
    const { role, content } = message
    if (role === 'system') {
      const parts = decodeSystem(content, `messages[${index}].content`)
      if (turns.length === 0) for (const part of parts) system.push(part)
      else if (parts.length > 0) turns.push({ role, parts })
    } else if (role === 'user' || role === 'assistant') {
      const parts = decodeContent(content, `messages[${index}].content`)
      addTurns(turns, role, role === 'user' ? orSilence(parts) : parts)
    } else {
      throw wrongType(`messages[${index}].role`, '"user", "assistant" or "system"')
    }
  })
  return { system, turns }
}

function decodeSystem(content: unknown, at: string): TextPart[] {
  if (content === undefined || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrongType(at, 'a string or a list of blocks')
  return content.flatMap((block: unknown, index) => {
    if (isObject(block) && isToolChange(block)) return []
    if (!isObject(block) || block['type'] !== 'text') {
      throw wrongType(`${at}[${index}]`, 'a block of the type "text"')
    }
    return [decodeText(block, `${at}[${index}]`)]
  })
}

/** An empty user message is still a turn: without it, the model would continue its own last message. */
function orSilence(parts: readonly Part[]): readonly Part[] {
  const isSilent = parts.every((part) => part.type === 'text' && part.text === '')
  return isSilent ? [{ type: 'text', text: '' }] : parts
}

/** Instructions may be a block inside a turn. They then split the turn. */
function addTurns(turns: Turn[], role: 'user' | 'assistant', parts: readonly Part[]): void {
  if (!parts.some(isHosted)) {
    turns.push({ role, parts })
    return
  }
  let start = 0
  parts.forEach((part, index) => {
    const instructions = instructionsIn(part)
    if (!instructions) return
    if (index > start) turns.push({ role, parts: parts.slice(start, index) })
    turns.push({ role: 'system', parts: instructions })
    start = index + 1
  })
  if (start === 0) turns.push({ role, parts })
  else if (start < parts.length) turns.push({ role, parts: parts.slice(start) })
}

function isHosted({ type }: Part): boolean {
  return type === 'hosted'
}

function instructionsIn(part: Part): TextPart[] | undefined {
  if (part.type !== 'hosted' || !part.json.includes('"mid_conv_system"')) return undefined
  const block = parseKeepingText(part.json, clientMembers)
  if (!isObject(block) || block['type'] !== 'mid_conv_system') return undefined
  return decodeSystem(block['content'] ?? undefined, 'content')
}
