import type { JsonObject } from '../../wire/json.ts'
import { fieldOf, listOf, positiveIntegerOf, textOf } from '../json-value.ts'
import {
  type DemoRefusal,
  type DemoTurn,
  type Question,
  type Structure,
  schemaStructure,
} from '../question.ts'
import { readCall } from '../read-call.ts'
import { readContent } from '../read-content.ts'
import { readTool } from '../read-tool.ts'
import { readToolChoice } from '../read-tool-choice.ts'

export function readQuestion(body: JsonObject): Question | DemoRefusal {
  const model = textOf(body['model'])
  const messages = listOf(body['messages'])
  if (model === undefined) return { refusal: 'You must provide a model.', param: 'model' }
  if (messages.length === 0) return { refusal: 'messages must be a list.', param: 'messages' }
  if ((positiveIntegerOf(body['n']) ?? 1) > 1) {
    return { refusal: 'The demo model gives one answer at a time.', param: 'n' }
  }
  return {
    model,
    turns: messages.map(readTurn),
    tools: listOf(body['tools']).flatMap((tool) =>
      readTool(fieldOf(tool, 'function'), 'parameters'),
    ),
    toolChoice: readToolChoice(body['tool_choice']),
    parallelToolCalls: body['parallel_tool_calls'] !== false,
    structure: readStructure(body['response_format']),
    reasoning: (textOf(body['reasoning_effort']) ?? 'none') !== 'none',
    outputTokensMax:
      positiveIntegerOf(body['max_completion_tokens']) ?? positiveIntegerOf(body['max_tokens']),
    stream: body['stream'] === true,
  }
}

function readTurn(message: unknown): DemoTurn {
  const content = readContent(fieldOf(message, 'content'))
  const role = textOf(fieldOf(message, 'role'))
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: content }
    case 'assistant':
      return { role, text: `${content} ${readCalls(message)}`.trim() }
    case 'tool':
    case 'function':
      return { role: 'tool', text: content }
    default:
      return { role: 'user', text: content }
  }
}

function readCalls(message: unknown): string {
  const calls = listOf(fieldOf(message, 'tool_calls')).map((call) => fieldOf(call, 'function'))
  return calls.map((call) => readCall(call, 'arguments')).join(' ')
}

function readStructure(format: unknown): Structure {
  const type = fieldOf(format, 'type')
  if (type === 'json_object') return { kind: 'json-object' }
  if (type !== 'json_schema') return { kind: 'text' }
  return schemaStructure(fieldOf(fieldOf(format, 'json_schema'), 'schema'))
}
