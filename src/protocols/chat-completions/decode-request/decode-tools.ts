import type { FunctionTool, Tool, ToolChoice } from '../../../core/neutral/model-request.ts'
import { jsonTextOf } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { decodeCacheMark } from '../values/cache-marks.ts'
import {
  readObject,
  readObjects,
  readText,
  requireObject,
  requireText,
} from '../values/read-field.ts'

const protocol = 'chat-completions'

/** Tools in the current form, in the older form (`functions`), and the search that separate fields request. */
export function decodeTools(body: JsonObject): Tool[] {
  const tools = readObjects(body, 'tools', '').map((tool, index) =>
    decodeTool(tool, `tools[${index}].`),
  )
  readObjects(body, 'functions', '').forEach((each, index) => {
    tools.push(decodeFunction(each, `functions[${index}].`))
  })
  const search = readObject(body, 'web_search_options', '')
  if (search) {
    const json = jsonTextOf(search)
    tools.push({ type: 'hosted', kind: 'web-search', name: 'web_search_options', protocol, json })
  }
  return tools
}

function decodeTool(tool: JsonObject, path: string): Tool {
  const type = readText(tool, 'type', path) ?? 'function'
  if (type === 'function') {
    const inner = requireObject(tool, 'function', path)
    const cacheMark = decodeCacheMark(tool) ?? decodeCacheMark(inner)
    return { ...decodeFunction(inner, `${path}function.`), cacheMark }
  }
  if (type === 'custom') {
    const inner = requireObject(tool, 'custom', path)
    const name = requireText(inner, 'name', `${path}custom.`)
    const description = readText(inner, 'description', `${path}custom.`)
    const format = readObject(inner, 'format', `${path}custom.`)
    return { type, name, description, format: format && jsonTextOf(flatFormat(format)) }
  }
  const kind = type.startsWith('web_search') ? 'web-search' : 'other'
  return { type: 'hosted', kind, name: type, protocol, json: jsonTextOf(tool) }
}

/** A grammar is a nested object here. The neutral form has it beside its type, as responses does. */
function flatFormat(format: JsonObject): JsonObject {
  const { grammar, ...rest } = format
  return isObject(grammar) ? { ...rest, ...grammar } : format
}

function decodeFunction(inner: JsonObject, path: string): FunctionTool {
  const schema = readObject(inner, 'parameters', path)
  const strict = inner['strict'] ?? undefined
  if (strict !== undefined && typeof strict !== 'boolean')
    throw wrongType(`${path}strict`, 'true or false')
  return {
    type: 'function',
    name: requireText(inner, 'name', path),
    description: readText(inner, 'description', path),
    schema: schema && jsonTextOf(schema),
    isStrict: strict,
  }
}

export function decodeToolChoice(body: JsonObject): ToolChoice | undefined {
  const choice = body['tool_choice'] ?? undefined
  if (choice === undefined) return decodeLegacyChoice(body)
  if (choice === 'auto' || choice === 'required' || choice === 'none') return { type: choice }
  // Mistral and others use `any`.
  if (choice === 'any') return { type: 'required' }
  const expected = 'auto, required, none or an object that names a tool'
  if (typeof choice === 'string') throw wrongType('tool_choice', expected)
  const object = requireObject(body, 'tool_choice', '')
  const type = object['type']
  if (type === 'auto' || type === 'required' || type === 'none') return { type }
  if (type === 'allowed_tools') return decodeAllowed(object)
  if (type === 'any') return { type: 'required' }
  if (type === 'function' || type === 'custom' || type === 'tool') {
    const name = nameOfChoice(object)
    if (name === undefined) throw wrongType(`tool_choice.${type}.name`, 'a string')
    return { type: 'tool', name }
  }
  if (typeof type === 'string') return { type: 'tool', name: type }
  const name = nameOfChoice(object)
  if (name === undefined) throw wrongType('tool_choice', expected)
  return { type: 'tool', name }
}

/** Some clients leave out the type, or use the flat form of another protocol. */
function nameOfChoice(choice: JsonObject): string | undefined {
  const inner = objectAt(choice, 'function') ?? objectAt(choice, 'custom') ?? choice
  const name = stringAt(inner, 'name')
  return name === '' ? undefined : name
}

function decodeAllowed(choice: JsonObject): ToolChoice {
  const path = 'tool_choice.allowed_tools'
  const allowed = requireObject(choice, 'allowed_tools', 'tool_choice.')
  const names = readObjects(allowed, 'tools', `${path}.`).map((tool, index) => {
    const isCustom = tool['type'] === 'custom'
    const place = `${path}.tools[${index}].`
    const inner = requireObject(tool, isCustom ? 'custom' : 'function', place)
    return requireText(inner, 'name', place)
  })
  return { type: 'allowed', names, isRequired: allowed['mode'] === 'required' }
}

function decodeLegacyChoice(body: JsonObject): ToolChoice | undefined {
  const choice = body['function_call'] ?? undefined
  if (choice === undefined) return undefined
  if (choice === 'auto' || choice === 'none') return { type: choice }
  const object = requireObject(body, 'function_call', '')
  return { type: 'tool', name: requireText(object, 'name', 'function_call.') }
}
