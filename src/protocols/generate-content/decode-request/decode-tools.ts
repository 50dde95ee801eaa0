import { Fault } from '../../../core/fault.ts'
import type { FunctionTool, Tool, ToolChoice } from '../../../core/neutral/model-request.ts'
import { jsonTextOf, writeJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { schemaFromGemini } from '../../schema/schema-from-gemini.ts'
import { type SchemaNodes, SchemaWork } from '../../schema/schema-work.ts'
import { fieldOf, listOrSingle, objectOf, textOf } from '../values/read-field.ts'

const declarations = ['functionDeclarations', 'function_declarations']
const searches = [
  'googleSearch',
  'google_search',
  'googleSearchRetrieval',
  'google_search_retrieval',
]

/** One tool object may contain both functions and hosted tools. */
export function decodeTools(tools: unknown, nodes: SchemaNodes): Tool[] {
  const work = new SchemaWork('tools', nodes)
  return listOrSingle(tools).flatMap((tool, index) => {
    if (!isObject(tool)) {
      throw new Fault('invalid_request', `The field "tools[${index}]" must be an object.`, {
        param: `tools[${index}]`,
      })
    }
    return Object.entries(tool).flatMap(([name, value]): Tool[] => {
      if (value === undefined || value === null) return []
      if (declarations.includes(name)) return decodeDeclarations(value, index, work)
      return [
        {
          type: 'hosted',
          kind: searches.includes(name) ? 'web-search' : 'other',
          name,
          protocol: 'generate-content',
          json: writeJson({ [name]: value }),
        },
      ]
    })
  })
}

function decodeDeclarations(declared: unknown, tool: number, work: SchemaWork): FunctionTool[] {
  return listOrSingle(declared).map((declaration, index) => {
    const name = isObject(declaration) ? textOf(declaration, 'name') : undefined
    if (!isObject(declaration) || !name) {
      const param = `tools[${tool}].functionDeclarations[${index}].name`
      throw new Fault('invalid_request', `The field "${param}" is required.`, { param })
    }
    const schema = schemaOf(declaration)
    return {
      type: 'function',
      name,
      description: textOf(declaration, 'description'),
      schema: schema && schemaFromGemini(schema, work),
      isStrict: undefined,
    }
  })
}

function schemaOf(declaration: JsonObject): string | undefined {
  const schema = fieldOf(declaration, 'parametersJsonSchema') ?? fieldOf(declaration, 'parameters')
  return isObject(schema) ? jsonTextOf(schema) : undefined
}

export function decodeToolChoice(toolConfig: JsonObject): ToolChoice | undefined {
  const config = objectOf(toolConfig, 'functionCallingConfig')
  if (!config) return undefined
  const names = listOrSingle(fieldOf(config, 'allowedFunctionNames')).filter(
    (name) => typeof name === 'string',
  )
  switch (modeOf(config)) {
    case 'ANY':
      return forced(names)
    case 'NONE':
      return { type: 'none' }
    case 'AUTO':
    case 'VALIDATED':
      return names.length > 0 ? { type: 'allowed', names, isRequired: false } : { type: 'auto' }
    default:
      return undefined
  }
}

/** Some clients send the number of a mode instead of its name. */
const numberedModes: readonly unknown[] = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']

function modeOf(config: JsonObject): unknown {
  const mode = fieldOf(config, 'mode')
  return typeof mode === 'number' ? numberedModes[mode] : textOf(config, 'mode')?.toUpperCase()
}

function forced(names: readonly string[]): ToolChoice {
  const [only] = names
  if (only === undefined) return { type: 'required' }
  return names.length === 1
    ? { type: 'tool', name: only }
    : { type: 'allowed', names, isRequired: true }
}
