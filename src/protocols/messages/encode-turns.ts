import type { ModelRequest, Role, Turn } from '../../core/model-request.ts'
import { RawJson } from '../../wire/exact-json.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Notes } from '../notes.ts'
import type { Target } from '../translation.ts'
import type { CacheMarks } from './cache-marks.ts'
import { type Block, encodeParts } from './encode-parts.ts'
import type { PartTools } from './part-tools.ts'

interface Message {
  readonly role: Role
  content: Block[]
}

/** The conversation as the API wants it: the caller first, roles in turn, results before words, nothing empty. */
export function encodeTurns(
  request: ModelRequest,
  target: Target,
  marks: CacheMarks,
  notes: Notes,
): JsonObject[] {
  const citesDocuments = request.extras['citations'] !== undefined
  const tools: PartTools = { issuer: target.issuer, marks, notes, citesDocuments }
  const takesSystem = target.traits.takesSystemTurns === true
  const messages: Message[] = []
  for (const turn of request.turns) addTurn(messages, turn, takesSystem, tools)
  trimLast(messages)
  beginWithUser(messages, notes)
  return messages.map(({ role, content }) => ({
    role,
    content: role === 'user' ? resultsFirst(content) : content,
  }))
}

function addTurn(messages: Message[], turn: Turn, takesSystem: boolean, tools: PartTools): void {
  const isReminder = turn.role === 'system' && !takesSystem
  const content = isReminder ? remind(turn) : encodeParts(turn.parts, tools)
  if (content.length === 0) return
  const role = isReminder ? 'user' : turn.role
  const last = messages.at(-1)
  if (last?.role === role) last.content.push(...content)
  else messages.push({ role, content })
}

/** Instructions in the middle stay where they are: their place is part of their meaning, and of the cache. */
function remind({ parts }: Turn): Block[] {
  const texts = parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? part.text : []))
  if (texts.length === 0) return []
  return [{ type: 'text', text: `<system-reminder>\n${texts.join('\n\n')}\n</system-reminder>` }]
}

/** What the answer is to go on from must not end in space. */
function trimLast(messages: Message[]): void {
  const last = messages.at(-1)
  const block = last?.content.at(-1)
  if (last?.role !== 'assistant' || !block || block instanceof RawJson) return
  const { text } = block
  if (block['type'] !== 'text' || typeof text !== 'string') return
  last.content[last.content.length - 1] = { ...block, text: text.trimEnd() }
}

function beginWithUser(messages: Message[], notes: Notes): void {
  if (messages[0]?.role === 'user') return
  notes.lossy('messages', 'user_turn_added')
  messages.unshift({ role: 'user', content: [{ type: 'text', text: 'Go on.' }] })
}

function resultsFirst(content: Block[]): Block[] {
  const isResult = (block: Block) => !(block instanceof RawJson) && block['type'] === 'tool_result'
  const results = content.filter(isResult)
  if (results.length === 0) return content
  return [...results, ...content.filter((block) => !isResult(block))]
}
