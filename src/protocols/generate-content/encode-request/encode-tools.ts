import type {
  FunctionTool,
  HostedTool,
  ModelRequest,
  Tool,
} from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import { schemaForGemini } from '../../schema/schema-for-gemini.ts'
import type { Target } from '../../translation.ts'

export interface EncodedTools {
  readonly tools: readonly unknown[] | undefined
  readonly toolConfig: JsonObject | undefined
}

/** All functions share one tool object; each hosted tool has its own. */
export function encodeTools(request: ModelRequest, target: Target, notes: Notes): EncodedTools {
  const functions = request.tools.filter((tool) => tool.type === 'function')
  const hosted = request.tools
    .filter((tool) => tool.type === 'hosted')
    .flatMap((tool) => encodeHosted(tool, functions.length > 0, request, notes))
  if (functions.some((tool) => tool.isStrict)) notes.harmless('tools', 'strict_dropped')
  const functionDeclarations = functions.map((tool) => encodeFunction(tool, target, notes))
  const tools =
    functions.length > 0
      ? [{ functionDeclarations }, ...hosted]
      : hosted.length > 0
        ? hosted
        : undefined
  if (functions.length === 0) return { tools, toolConfig: undefined }
  // The protocol has no field for this. If the model makes several calls, all are delivered.
  if (request.parallelCalls === false) notes.lossy('parallelCalls')
  return { tools, toolConfig: encodeChoice(request, functions, notes) }
}

function encodeFunction(tool: FunctionTool, { traits }: Target, notes: Notes): JsonObject {
  const form = traits.schemaForm ?? 'json'
  const schema =
    tool.schema === undefined || isEmptySchema(tool.schema, form)
      ? undefined
      : new RawJson(schemaForGemini(tool.schema, form, notes.schemaWork('tools')))
  return {
    name: tool.name,
    description: tool.description,
    ...(form === 'json' ? { parametersJsonSchema: schema } : { parameters: schema }),
  }
}

/** The older form rejects an object without properties. */
function isEmptySchema(schema: string, form: 'json' | 'classic'): boolean {
  const value = parseJson(schema)
  if (!isObject(value) || Object.keys(value).length === 0) return true
  const properties = value['properties']
  const hasProperties = isObject(properties) && Object.keys(properties).length > 0
  return form === 'classic' && value['type'] === 'object' && !hasProperties
}

/** Most models reject the vendor's search beside functions, so the search is then dropped with a warning. */
function encodeHosted(
  tool: HostedTool,
  hasFunctions: boolean,
  { toolChoice }: ModelRequest,
  notes: Notes,
): unknown[] {
  if (tool.protocol === 'generate-content') return [new RawJson(tool.json)]
  if (tool.kind === 'web-search' && !hasFunctions) return [{ googleSearch: {} }]
  if (toolChoice?.type === 'tool' && toolChoice.name === tool.name) {
    notes.refuse(
      'toolChoice',
      `The tool "${tool.name}" runs at another vendor, and the upstream of this model has no such tool. Leave the tool out, or choose another model.`,
    )
  }
  notes.lossy('tools', `${tool.name}_dropped`)
  return []
}

function encodeChoice(
  { toolChoice }: ModelRequest,
  functions: readonly Tool[],
  notes: Notes,
): JsonObject | undefined {
  switch (toolChoice?.type) {
    case undefined:
      return undefined
    case 'auto':
      return calling('AUTO')
    case 'required':
      return calling('ANY')
    case 'none':
      return calling('NONE')
    case 'tool': {
      const { name } = toolChoice
      if (!functions.some((tool) => 'name' in tool && tool.name === name)) {
        notes.refuse(
          'toolChoice',
          `The tool choice names "${name}", which is not among the tools. Add the tool, or change the tool choice.`,
        )
      }
      return calling('ANY', [name])
    }
    case 'allowed':
      return calling(toolChoice.isRequired ? 'ANY' : 'VALIDATED', toolChoice.names)
  }
}

function calling(mode: string, allowedFunctionNames?: readonly string[]): JsonObject {
  return { functionCallingConfig: { mode, allowedFunctionNames } }
}
