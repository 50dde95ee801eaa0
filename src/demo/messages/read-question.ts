import type { JsonObject } from '../../wire/json.ts'
import { fieldOf, listOf, positiveIntegerOf, textOf } from '../json-value.ts'
import {
  type DemoRefusal,
  type DemoToolChoice,
  type DemoTurn,
  type Question,
  schemaStructure,
} from '../question.ts'
import { readCall } from '../read-call.ts'
import { readContent } from '../read-content.ts'
import { readTool } from '../read-tool.ts'

export function readQuestion(body: JsonObject): Question | DemoRefusal {
  const model = textOf(body['model'])
  const messages = listOf(body['messages'])
  const format = fieldOf(body['output_config'], 'format') ?? body['output_format']
  const thinking = fieldOf(body['thinking'], 'type')
  if (model === undefined) return { refusal: 'model: Field required', param: 'model' }
  if (messages.length === 0) return { refusal: 'messages: Field required', param: 'messages' }
  return {
    model,
    turns: [...readSystem(body['system']), ...messages.flatMap(readTurns)],
    tools: listOf(body['tools']).flatMap((tool) => readTool(tool, 'input_schema')),
    toolChoice: readToolChoice(body['tool_choice']),
    parallelToolCalls: fieldOf(body['tool_choice'], 'disable_parallel_tool_use') !== true,
    structure:
      fieldOf(format, 'type') === 'json_schema'
        ? schemaStructure(fieldOf(format, 'schema'))
        : { kind: 'text' },
    reasoning: thinking === 'enabled' || thinking === 'adaptive',
    outputTokensMax: positiveIntegerOf(body['max_tokens']),
    stream: body['stream'] === true,
  }
}

function readSystem(system: unknown): readonly DemoTurn[] {
  return system === undefined ? [] : [{ role: 'system', text: readContent(system) }]
}

function readTurns(message: unknown): readonly DemoTurn[] {
  const content = fieldOf(message, 'content')
  const blocks = listOf(content)
  const results = blocks.filter((block) => fieldOf(block, 'type') === 'tool_result')
  const others = blocks.filter((block) => fieldOf(block, 'type') !== 'tool_result')
  const text = typeof content === 'string' ? content : others.map(readBlock).join(' ')
  const role = fieldOf(message, 'role')
  const spoken: DemoTurn = { role: role === 'assistant' || role === 'system' ? role : 'user', text }
  // Coding agents add remarks to a message with tool results. The results come last, because they are what the model
  // answers.
  return [
    ...(text === '' ? [] : [spoken]),
    ...results.map(
      (result): DemoTurn => ({ role: 'tool', text: readContent(fieldOf(result, 'content')) }),
    ),
  ]
}

function readBlock(block: unknown): string {
  if (fieldOf(block, 'type') !== 'tool_use') return readContent([block])
  return readCall(block, 'input')
}

function readToolChoice(choice: unknown): DemoToolChoice {
  switch (fieldOf(choice, 'type')) {
    case 'none':
      return { mode: 'none' }
    case 'any':
      return { mode: 'required' }
    case 'tool':
      return { mode: 'required', names: [textOf(fieldOf(choice, 'name')) ?? ''] }
    default:
      return { mode: 'auto' }
  }
}
