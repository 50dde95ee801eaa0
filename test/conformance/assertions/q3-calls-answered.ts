import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { isObject } from '../../../src/wire/json.ts'
import { dig, digList, digText } from '../dig.ts'
import type { Recording } from '../recordings/recording.ts'
import type { Case } from './assertion.ts'
import { requestCases } from './request-rule.ts'

/** Q3: every call has exactly one result, in the position that the protocol requires; the order of roles is valid. */
export function q3CallsAnswered(recordings: readonly Recording[]): Case[] {
  return requestCases(
    recordings,
    'Q3 every call is answered once',
    protocolNames,
    (sent, upstream) => walks[upstream](sent.value),
  )
}

const walks: Readonly<Record<ProtocolName, (request: unknown) => string[]>> = {
  'chat-completions': walkChat,
  responses: walkResponses,
  messages: walkMessages,
  'generate-content': walkGenerate,
}

function walkChat(request: unknown): string[] {
  const problems: string[] = []
  let open: string[] = []
  const messages = digList(request, 'messages')
  for (const message of messages) {
    const role = digText(message, 'role')
    if (role === 'tool') {
      const id = digText(message, 'tool_call_id')
      if (!open.includes(id)) problems.push(`a result for ${id}, which is not open`)
      open = open.filter((each) => each !== id)
      continue
    }
    if (open.length > 0) problems.push(`${open.join()} unanswered before ${role}`)
    open = digList(message, 'tool_calls').map((call) => digText(call, 'id'))
  }
  const isLastAssistant = digText(messages.at(-1), 'role') === 'assistant'
  if (open.length > 0 && !isLastAssistant) problems.push(`${open.join()} unanswered at the end`)
  return problems
}

function walkResponses(request: unknown): string[] {
  const problems: string[] = []
  const items = digList(request, 'input')
  const open = new Map<string, string>()
  let lastCallAt = -1
  for (const [at, item] of items.entries()) {
    const type = digText(item, 'type')
    const id = digText(item, 'call_id')
    if (type === 'function_call' || type === 'custom_tool_call') {
      if (open.has(id)) problems.push(`two calls ${id}`)
      open.set(id, type)
      lastCallAt = at
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const call = open.get(id)
      if (call === undefined) problems.push(`an output for ${id}, which is not open`)
      else if (type !== `${call}_output`) problems.push(`a ${call} is answered by a ${type}`)
      open.delete(id)
    } else if (digText(item, 'role') === 'user' && open.size > 0) {
      problems.push(`${[...open.keys()].join()} unanswered before a user message`)
    }
    if (type === 'reasoning' && !isFollowed(items[at + 1])) {
      problems.push('a reasoning item without the item it belongs to')
    }
  }
  const isEndOpen = lastCallAt === items.length - 1
  if (open.size > 0 && !isEndOpen) problems.push(`${[...open.keys()].join()} unanswered at the end`)
  return problems
}

/** Reasoning belongs to the next text or call of the model. */
function isFollowed(next: unknown): boolean {
  if (next === undefined || digText(next, 'role') === 'user') return false
  return !digText(next, 'type').endsWith('_output')
}

function walkMessages(request: unknown): string[] {
  const problems: string[] = []
  const messages = digList(request, 'messages').filter(
    (message) => digText(message, 'role') !== 'system',
  )
  if (digText(messages[0], 'role') !== 'user') problems.push('the first message is not the user’s')
  for (const [at, message] of messages.entries()) {
    const next = messages[at + 1]
    if (digText(message, 'role') === digText(next, 'role')) problems.push('roles do not alternate')
    if (isEmptyText(message)) problems.push('an empty text')
    const calls = blocksOf(message, 'tool_use').map((block) => digText(block, 'id'))
    if (calls.length === 0 || next === undefined) continue
    const results = blocksOf(next, 'tool_result').map((block) => digText(block, 'tool_use_id'))
    if (calls.toSorted().join() !== results.toSorted().join()) {
      problems.push(`calls ${calls.join()}, results ${results.join()}`)
    }
    const kinds = digList(next, 'content').map((block) => digText(block, 'type'))
    if (kinds.slice(0, results.length).some((kind) => kind !== 'tool_result')) {
      problems.push(`results do not come first: ${kinds.join()}`)
    }
  }
  for (const [at, message] of messages.entries()) {
    const results = blocksOf(message, 'tool_result').length
    const calls = blocksOf(messages[at - 1], 'tool_use').length
    if (results !== calls && results > 0) problems.push(`${results} results for ${calls} calls`)
  }
  return problems
}

function blocksOf(message: unknown, type: string): unknown[] {
  return digList(message, 'content').filter((block) => digText(block, 'type') === type)
}

function isEmptyText(message: unknown): boolean {
  const content = dig(message, 'content')
  if (content === '' || (Array.isArray(content) && content.length === 0)) return true
  return blocksOf(message, 'text').some((block) => dig(block, 'text') === '')
}

function walkGenerate(request: unknown): string[] {
  const problems: string[] = []
  const contents = digList(request, 'contents')
  for (const [at, content] of contents.entries()) {
    const next = contents[at + 1]
    if (digText(content, 'role') === digText(next, 'role')) problems.push('roles do not alternate')
    if (digList(content, 'parts').length === 0) problems.push('a content without parts')
    const calls = openMembers(content, 'functionCall', 'functionResponse')
    const answers = openMembers(next, 'functionResponse', 'functionCall')
    if (next !== undefined && calls.join() !== answers.join()) {
      problems.push(`calls ${calls.join()}, responses ${answers.join()}`)
    }
    if (at === 0 && membersOf(content, 'functionResponse').length > 0) {
      problems.push('a response without a call')
    }
    for (const response of membersOf(content, 'functionResponse')) {
      if (!isObject(dig(response, 'response'))) problems.push('a response that is no object')
    }
    for (const call of membersOf(content, 'functionCall')) {
      if (!isObject(dig(call, 'args') ?? {})) problems.push('args that are no object')
    }
  }
  return problems
}

/** Omits calls whose result is in the same content: the vendor executed them itself. */
function openMembers(content: unknown, name: string, counterpart: string): string[] {
  const settled = membersOf(content, counterpart).map(nameAndId)
  return membersOf(content, name)
    .map(nameAndId)
    .filter((each) => !settled.includes(each))
}

function membersOf(content: unknown, name: string): unknown[] {
  return digList(content, 'parts')
    .map((part) => dig(part, name))
    .filter((member) => member !== undefined)
}

function nameAndId(member: unknown): string {
  return `${digText(member, 'name')}#${digText(member, 'id')}`
}
