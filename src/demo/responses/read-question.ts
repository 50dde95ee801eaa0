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
  const { input } = body
  if (model === undefined) return { refusal: 'You must provide a model.', param: 'model' }
  if (typeof input !== 'string' && !Array.isArray(input)) {
    return { refusal: 'input must be a string or a list.', param: 'input' }
  }
  const instructions = textOf(body['instructions'])
  return {
    model,
    turns: [
      ...(instructions === undefined ? [] : [{ role: 'system' as const, text: instructions }]),
      ...(typeof input === 'string'
        ? [{ role: 'user' as const, text: input }]
        : input.map(readItem)),
    ],
    tools: listOf(body['tools'])
      .filter((tool) => fieldOf(tool, 'type') === 'function')
      .flatMap((tool) => readTool(tool, 'parameters')),
    toolChoice: readToolChoice(body['tool_choice']),
    parallelToolCalls: body['parallel_tool_calls'] !== false,
    structure: readStructure(fieldOf(body['text'], 'format')),
    reasoning: readReasoning(body['reasoning']),
    outputTokensMax: positiveIntegerOf(body['max_output_tokens']),
    stream: body['stream'] === true,
  }
}

function readItem(item: unknown): DemoTurn {
  const type = textOf(fieldOf(item, 'type')) ?? 'message'
  switch (type) {
    case 'message': {
      const role = fieldOf(item, 'role')
      const text = readContent(fieldOf(item, 'content'))
      if (role === 'assistant') return { role, text }
      return { role: role === 'system' || role === 'developer' ? 'system' : 'user', text }
    }
    case 'function_call':
      return { role: 'assistant', text: readCall(item, 'arguments') }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', text: readContent(fieldOf(item, 'output')) }
    case 'reasoning':
      return { role: 'assistant', text: readContent(fieldOf(item, 'summary')) }
    default:
      return { role: 'assistant', text: `[${type}]` }
  }
}

function readStructure(format: unknown): Structure {
  const type = fieldOf(format, 'type')
  if (type === 'json_object') return { kind: 'json-object' }
  return type === 'json_schema' ? schemaStructure(fieldOf(format, 'schema')) : { kind: 'text' }
}

function readReasoning(reasoning: unknown): boolean {
  const effort = textOf(fieldOf(reasoning, 'effort'))
  if (effort === 'none') return false
  return effort !== undefined || textOf(fieldOf(reasoning, 'summary')) !== undefined
}
