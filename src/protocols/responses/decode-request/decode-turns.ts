import { Fault } from '../../../core/fault.ts'
import type { Part, TextPart, ToolResultPart, Turn } from '../../../core/neutral/model-request.ts'
import { jsonTextOf } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { decodeReasoningItem } from '../values/reasoning-item.ts'
import { decodeContent } from './decode-content.ts'
import { decodeTools } from './decode-tools.ts'
import type { ToolList } from './tool-list.ts'
import { TurnList } from './turn-list.ts'

export interface DecodedItems {
  readonly system: readonly TextPart[]
  readonly turns: readonly Turn[]
}

/** Decodes the items of a request as turns. Tools among the items are added to the other tools. */
export function decodeTurns(
  input: unknown,
  instructions: readonly TextPart[],
  tools: ToolList,
): DecodedItems {
  const turns = new TurnList(instructions)
  if (typeof input === 'string') turns.user(decodeContent(input, 'input'))
  if (Array.isArray(input)) {
    for (const [index, item] of input.entries()) decodeItem(item, `input[${index}]`, turns, tools)
  }
  return { system: turns.system, turns: turns.turns }
}

function decodeItem(item: unknown, path: string, turns: TurnList, tools: ToolList): void {
  if (!isObject(item)) throw wrongType(path, 'an object')
  const type = stringAt(item, 'type') ?? (item['role'] === undefined ? 'item_reference' : 'message')
  switch (type) {
    case 'message':
      decodeMessage(item, path, turns)
      break
    case 'function_call':
    case 'custom_tool_call':
      turns.assistant([decodeCall(item, path)])
      break
    case 'function_call_output':
    case 'custom_tool_call_output':
      turns.result(decodeResult(item, path))
      break
    case 'reasoning':
      decodeReasoningItem(item, turns)
      break
    case 'additional_tools':
      decodeTools(item['tools'], `${path}.tools`, tools)
      break
    case 'item_reference':
      throw new Fault(
        'invalid_request',
        `The item "${path}" refers to ${JSON.stringify(item['id'] ?? null)}, which is not stored here. Send the item itself.`,
        { param: path },
      )
    case 'tool_search_output':
      decodeTools(item['tools'], `${path}.tools`, tools)
      decodeHosted(item, type, turns)
      break
    default:
      decodeHosted(item, type, turns)
  }
}

function decodeMessage(item: JsonObject, path: string, turns: TurnList): void {
  const parts = decodeContent(item['content'], `${path}.content`)
  switch (item['role']) {
    case 'user':
      turns.user(parts)
      break
    case 'assistant':
      turns.assistant(parts)
      break
    case 'system':
    case 'developer':
      turns.instruct(parts)
      break
    default:
      throw wrongType(`${path}.role`, '"user", "assistant", "system" or "developer"')
  }
}

function decodeCall(item: JsonObject, path: string): Part {
  const isCustom = item['type'] === 'custom_tool_call'
  const text = item[isCustom ? 'input' : 'arguments'] ?? ''
  const namespace = stringAt(item, 'namespace')
  return {
    type: 'tool-call',
    id: requireText(item, 'call_id', path),
    name: requireText(item, 'name', path),
    form: isCustom ? 'custom' : 'function',
    argumentsText: typeof text === 'string' ? text : jsonTextOf(text),
    ...(namespace === undefined ? {} : { namespace }),
  }
}

function decodeResult(item: JsonObject, path: string): ToolResultPart {
  const output = item['output'] ?? ''
  const content = isObject(output) ? jsonTextOf(output) : output
  const parts = decodeContent(content, `${path}.output`).map((part) =>
    part.type === 'refusal' ? { type: 'text' as const, text: part.text } : part,
  )
  return {
    type: 'tool-result',
    callId: requireText(item, 'call_id', path),
    form: item['type'] === 'custom_tool_call_output' ? 'custom' : 'function',
    parts,
    isError: false,
  }
}

function requireText(item: JsonObject, name: string, path: string): string {
  const text = stringAt(item, name)
  if (text === undefined || text === '') throw wrongType(`${path}.${name}`, 'a string')
  return text
}

/** Calls of hosted tools and their results. No other protocol can express them. */
function decodeHosted(item: JsonObject, type: string, turns: TurnList): void {
  const part: Part = { type: 'hosted', protocol: 'responses', json: jsonTextOf(item) }
  const isClients = type.endsWith('_output') || type === 'mcp_approval_response'
  if (isClients) turns.user([part])
  else turns.assistant([part])
}
