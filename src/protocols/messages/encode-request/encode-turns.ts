import type { ModelRequest, Turn, TurnRole } from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { systemReminder } from '../../fit/system-reminder.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import type { CacheMarks } from '../values/cache-marks.ts'
import { type Block, encodeContent } from './encode-content.ts'
import type { PartContext } from './part-context.ts'

interface Message {
  readonly role: TurnRole
  readonly content: Block[]
  /** Contains content of the role itself, and not only reminders. */
  hasSpeech: boolean
  /** Contains an empty turn of the user. */
  hasSilence: boolean
}

const continuePrompt = 'Go on.'

/** The conversation as the API requires it: the user first, alternating roles, results before text, nothing empty. */
export function encodeTurns(
  request: ModelRequest,
  target: Target,
  marks: CacheMarks,
  notes: Notes,
): JsonObject[] {
  const citesDocuments = request.extras['citations'] !== undefined
  const tools: PartContext = { issuer: target.issuer, marks, notes, citesDocuments }
  const takesSystem = target.traits.takesSystemTurns === true
  const messages: Message[] = []
  for (const turn of request.turns) addTurn(messages, turn, takesSystem, tools)
  trimLast(messages)
  breakSilence(messages, notes)
  beginWithUser(messages, notes)
  return messages.map(({ role, content }) => ({
    role,
    content: role === 'user' ? resultsFirst(content) : content,
  }))
}

function addTurn(messages: Message[], turn: Turn, takesSystem: boolean, tools: PartContext): void {
  const isReminder = turn.role === 'system' && !takesSystem
  const content = isReminder ? remind(turn, tools.marks) : encodeContent(turn.parts, tools)
  const isSilence = content.length === 0 && isSilent(turn)
  if (content.length === 0 && !isSilence) return
  const role = isReminder ? 'user' : turn.role
  let last = messages.at(-1)
  if (last?.role !== role) {
    last = { role, content: [], hasSpeech: false, hasSilence: false }
    messages.push(last)
  }
  for (const block of content) last.content.push(block)
  if (isSilence) last.hasSilence = true
  else if (!isReminder) last.hasSpeech = true
}

/** An empty user turn after the model's. Without it, the model would continue its own last message. */
function isSilent({ role, parts }: Turn): boolean {
  return role === 'user' && parts.length > 0 && parts.every((part) => part.type === 'text')
}

/** All texts of the turn become one block, which has the last mark of the turn. */
function remind({ parts }: Turn, marks: CacheMarks): Block[] {
  const text = systemReminder(parts)
  if (text === undefined) return []
  let mark: JsonObject = {}
  for (const part of parts)
    if (part.type === 'text' && part.cacheMark) mark = marks.take(part.cacheMark)
  return [{ type: 'text', text, ...mark }]
}

/** A prefilled answer must not end in whitespace. */
function trimLast(messages: Message[]): void {
  const last = messages.at(-1)
  const block = last?.content.at(-1)
  if (last?.role !== 'assistant' || !block || block instanceof RawJson) return
  const { text } = block
  if (block['type'] !== 'text' || typeof text !== 'string') return
  last.content[last.content.length - 1] = { ...block, text: text.trimEnd() }
}

/** The API rejects empty text. Any other content of the same message replaces it, unless that content is a reminder. */
function breakSilence(messages: readonly Message[], notes: Notes): void {
  for (const { content, hasSpeech, hasSilence } of messages) {
    if (!hasSilence || hasSpeech) continue
    notes.lossy('messages', 'user_turn_added')
    content.push({ type: 'text', text: continuePrompt })
  }
}

function beginWithUser(messages: Message[], notes: Notes): void {
  if (messages[0]?.role === 'user') return
  notes.lossy('messages', 'user_turn_added')
  const content = [{ type: 'text', text: continuePrompt }]
  messages.unshift({ role: 'user', content, hasSpeech: true, hasSilence: false })
}

function resultsFirst(content: Block[]): Block[] {
  if (!content.some(isResult)) return content
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))]
}

function isResult(block: Block): boolean {
  return !(block instanceof RawJson) && block['type'] === 'tool_result'
}
