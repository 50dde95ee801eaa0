import type { Tool, ToolChoice } from '../../../core/neutral/model-request.ts'
import { jsonTextOf } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { decodeCacheMark } from '../values/cache-marks.ts'

export function decodeTools(tools: unknown): Tool[] {
  if (!Array.isArray(tools)) return []
  return tools.map((tool: unknown, index) => {
    if (!isObject(tool)) throw wrongType(`tools[${index}]`, 'an object')
    return decodeTool(tool, `tools[${index}]`)
  })
}

/** The vendor knows a tool with its own type: the vendor has its schema and often runs it. */
export function decodeTool(tool: JsonObject, at: string): Tool {
  const type = stringAt(tool, 'type')
  const name = stringAt(tool, 'name')
  if (type !== undefined && type !== 'custom') {
    return {
      type: 'hosted',
      kind: type.startsWith('web_search_') ? 'web-search' : 'other',
      name: name ?? type,
      protocol: 'messages',
      json: jsonTextOf(tool),
    }
  }
  if (name === undefined || name === '') throw wrongType(`${at}.name`, 'a string')
  const schema = tool['input_schema'] ?? undefined
  if (schema !== undefined && (typeof schema !== 'object' || Array.isArray(schema))) {
    throw wrongType(`${at}.input_schema`, 'an object')
  }
  return {
    type: 'function',
    name,
    description: stringAt(tool, 'description'),
    schema: schema === undefined ? undefined : jsonTextOf(schema),
    isStrict: typeof tool['strict'] === 'boolean' ? tool['strict'] : undefined,
    cacheMark: decodeCacheMark(tool['cache_control']),
  }
}

export function decodeToolChoice(choice: JsonObject | undefined): ToolChoice | undefined {
  const named = choice && stringAt(choice, 'name')
  // Some clients leave out the type.
  const type = (choice && stringAt(choice, 'type')) ?? (named === undefined ? undefined : 'tool')
  switch (type) {
    case undefined:
      return undefined
    case 'auto':
    case 'none':
      return { type }
    case 'any':
      return { type: 'required' }
    case 'tool': {
      const name = named
      if (name === undefined) throw wrongType('tool_choice.name', 'a string')
      return { type: 'tool', name }
    }
    default:
      throw wrongType('tool_choice.type', '"auto", "any", "tool" or "none"')
  }
}

export function decodeParallelCalls(choice: JsonObject | undefined): boolean | undefined {
  const isDisabled = choice?.['disable_parallel_tool_use']
  return typeof isDisabled === 'boolean' ? !isDisabled : undefined
}
