import type { JsonObject } from '../../wire/json.ts'
import { fieldOf, listOf, looseListOf, positiveIntegerOf, textOf } from '../json-value.ts'
import {
  type DemoRefusal,
  type DemoToolChoice,
  type Question,
  type Structure,
  schemaStructure,
} from '../question.ts'
import { readTool } from '../read-tool.ts'
import { readTurns } from './read-turns.ts'

/** Every field has two spellings here: Google's service accepts both, and clients send both. */
export function readQuestion(body: JsonObject, model: string): Question | DemoRefusal {
  const { contents } = body
  const turns = readTurns(fieldOf(body, 'systemInstruction', 'system_instruction'), contents)
  if (!turns.some((turn) => turn.role !== 'system')) {
    return { refusal: 'contents is not specified', param: 'contents' }
  }
  const config = fieldOf(body, 'generationConfig', 'generation_config')
  const thinking = fieldOf(config, 'thinkingConfig', 'thinking_config')
  return {
    model,
    turns,
    tools: looseListOf(body['tools'])
      .flatMap((tool) => listOf(fieldOf(tool, 'functionDeclarations', 'function_declarations')))
      .flatMap((declared) =>
        readTool(declared, 'parametersJsonSchema', 'parameters_json_schema', 'parameters'),
      ),
    toolChoice: readToolChoice(fieldOf(body, 'toolConfig', 'tool_config')),
    parallelToolCalls: true,
    structure: readStructure(config),
    reasoning: fieldOf(thinking, 'includeThoughts', 'include_thoughts') === true,
    outputTokensMax: positiveIntegerOf(fieldOf(config, 'maxOutputTokens', 'max_output_tokens')),
    stream: false,
  }
}

function readToolChoice(toolConfig: unknown): DemoToolChoice {
  const config = fieldOf(toolConfig, 'functionCallingConfig', 'function_calling_config')
  const given = textOf(fieldOf(config, 'mode'))?.toUpperCase()
  const mode = given === 'ANY' ? 'required' : given === 'NONE' ? 'none' : 'auto'
  const names = listOf(fieldOf(config, 'allowedFunctionNames', 'allowed_function_names')).filter(
    (name) => typeof name === 'string',
  )
  return names.length > 0 ? { mode, names } : { mode }
}

function readStructure(config: unknown): Structure {
  const schema = fieldOf(
    config,
    'responseJsonSchema',
    'response_json_schema',
    'responseSchema',
    'response_schema',
  )
  if (schema !== undefined) return schemaStructure(schema)
  const type = fieldOf(config, 'responseMimeType', 'response_mime_type')
  return type === 'application/json' ? { kind: 'json-object' } : { kind: 'text' }
}
