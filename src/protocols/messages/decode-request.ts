import type { ModelRequest, Part, TextPart, Turn } from '../../core/model-request.ts'
import { parseKeepingText } from '../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt } from '../../wire/json.ts'
import { wrongType } from '../../wire/read-field.ts'
import type { JsonBody, RequestFacts } from '../request-facts.ts'
import { decodeCacheMark } from './cache-mark.ts'
import { decodeContent, decodeText, wantsCitations } from './decode-blocks.ts'
import {
  decodeEndUser,
  decodeFormat,
  decodeReasoning,
  decodeServiceTier,
  decodeStop,
} from './decode-options.ts'
import { decodeParallelCalls, decodeToolChoice, decodeTools } from './decode-tools.ts'
import { applyToolChanges, isToolChange } from './tool-changes.ts'

/** Members with JSON that belongs to the client and its tools, not to the protocol. */
const membersKept = new Set(['input', 'input_schema', 'schema', 'input_examples'])

/** Fields that the neutral form has; all others are kept as extras. */
const known = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'metadata',
  'service_tier',
  'cache_control',
])

export function decodeRequest(body: JsonBody, facts: RequestFacts): ModelRequest {
  const parsed = parseKeepingText(body.text, membersKept, body.value)
  const value = isObject(parsed) ? parsed : body.value
  const choice = objectAt(value, 'tool_choice')
  const { system, turns } = decodeConversation(value)
  return {
    model: facts.model,
    isStream: facts.isStream,
    system,
    turns,
    tools: applyToolChanges(decodeTools(value['tools']), value['messages']),
    toolChoice: decodeToolChoice(choice),
    parallelCalls: decodeParallelCalls(choice),
    outputTokensMax: facts.outputTokensMax,
    sampling: {
      temperature: numberAt(value, 'temperature'),
      topP: numberAt(value, 'top_p'),
      topK: numberAt(value, 'top_k'),
      stop: decodeStop(value),
    },
    answers: 1,
    format: decodeFormat(value),
    reasoning: decodeReasoning(value),
    logprobs: undefined,
    verbosity: undefined,
    endUser: decodeEndUser(value),
    cacheKey: undefined,
    serviceTier: decodeServiceTier(value),
    metadata: undefined,
    cacheMark: decodeCacheMark(value['cache_control']),
    extras: decodeExtras(value),
  }
}

function decodeConversation(value: JsonObject): { system: TextPart[]; turns: Turn[] } {
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
  const block = parseKeepingText(part.json, membersKept)
  if (!isObject(block) || block['type'] !== 'mid_conv_system') return undefined
  return decodeSystem(block['content'] ?? undefined, 'content')
}

function numberAt(value: JsonObject, name: string): number | undefined {
  const field = value[name]
  return typeof field === 'number' ? field : undefined
}

/**
 * Citations are requested on each document, for all of them or for none, so they count as one option of the request.
 */
function decodeExtras(value: JsonObject): Record<string, unknown> {
  const extras: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    if (!known.has(name) && field !== null && field !== undefined) extras[name] = field
  }
  const messages: unknown[] = Array.isArray(value['messages']) ? value['messages'] : []
  if (messages.some((message) => isObject(message) && wantsCitations(message['content']))) {
    extras['citations'] = { enabled: true }
  }
  return extras
}
