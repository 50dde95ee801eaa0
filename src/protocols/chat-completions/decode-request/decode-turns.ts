import type { Part, TextPart, ToolResultPart, Turn } from '../../../core/neutral/model-request.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { decodeCacheMark } from '../values/cache-marks.ts'
import { readText, requireText } from '../values/read-field.ts'
import { decodeAssistant } from './decode-assistant.ts'
import { decodeContent, decodeResultContent } from './decode-content.ts'
import { LegacyCalls } from './legacy-calls.ts'

type Mark = ReturnType<typeof decodeCacheMark>

export interface DecodedTurns {
  readonly system: readonly TextPart[]
  readonly turns: readonly Turn[]
}

/**
 * System messages before the first turn are kept apart; later ones keep their position. Consecutive results form one
 * turn.
 */
export function decodeTurns(messages: readonly unknown[]): DecodedTurns {
  const legacy = new LegacyCalls()
  const system: TextPart[] = []
  const turns: Turn[] = []
  let results: ToolResultPart[] | undefined
  messages.forEach((message, index) => {
    const path = `messages[${index}].`
    if (!isObject(message)) throw wrongType(`messages[${index}]`, 'an object')
    const result = decodeResult(message, path, legacy)
    if (!result) {
      results = undefined
      const turn = decodeTurn(message, path, legacy)
      const isLast = index === messages.length - 1
      if (turn.role !== 'system' || turns.length > 0 || isLast) turns.push(turn)
      else for (const part of turn.parts) if (part.type === 'text') system.push(part)
    } else if (results) results.push(result)
    else {
      results = [result]
      turns.push({ role: 'user', parts: results })
    }
  })
  return { system, turns }
}

function decodeTurn(message: JsonObject, path: string, legacy: LegacyCalls): Turn {
  const mark = decodeCacheMark(message)
  switch (message['role']) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: markLast(decodeText(message, path), mark) }
    case 'user':
      return { role: 'user', parts: decodeUser(message, path, mark) }
    case 'assistant':
      return { role: 'assistant', parts: markLast(decodeAssistant(message, path, legacy), mark) }
    default:
      throw wrongType(`${path}role`, 'one of system, developer, user, assistant and tool')
  }
}

/** An empty user message is still a turn: without it, the model would continue its own last message. */
function decodeUser(message: JsonObject, path: string, mark: Mark): Part[] {
  const parts = decodeContent(message['content'], `${path}content`)
  return parts.length === 0 ? [{ type: 'text', text: '' }] : markLast(parts, mark)
}

function decodeText(message: JsonObject, path: string): Part[] {
  const parts = decodeContent(message['content'], `${path}content`)
  const other = parts.findIndex((part) => part.type !== 'text')
  if (other >= 0) throw wrongType(`${path}content`, 'text: a system prompt cannot contain media')
  return parts
}

/** A cache mark on a message applies to its last part. */
function markLast(parts: Part[], cacheMark: Mark): Part[] {
  const last = parts.at(-1)
  if (!cacheMark || last?.type !== 'text') return parts
  return [...parts.slice(0, -1), { ...last, cacheMark }]
}

function decodeResult(
  message: JsonObject,
  path: string,
  legacy: LegacyCalls,
): ToolResultPart | undefined {
  const { role } = message
  if (role !== 'tool' && role !== 'function') return undefined
  const isLegacy = role === 'function'
  const name = isLegacy ? requireText(message, 'name', path) : readText(message, 'name', path)
  const callId = isLegacy ? legacy.result(name ?? '') : requireText(message, 'tool_call_id', path)
  return {
    type: 'tool-result',
    callId,
    name,
    form: 'function',
    parts: decodeResultContent(message['content'], `${path}content`),
    isError: false,
    cacheMark: decodeCacheMark(message) ?? markOfEmptyText(message['content']),
  }
}

/** A result without text keeps its mark, although its empty texts are left out. */
function markOfEmptyText(content: unknown): Mark {
  if (!Array.isArray(content)) return undefined
  const marks = content.map((part: unknown) =>
    isObject(part) && part['text'] === '' ? decodeCacheMark(part) : undefined,
  )
  return marks.findLast((mark) => mark !== undefined)
}
