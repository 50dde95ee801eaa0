import type { ToolChoice } from '../../core/model-request.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../wire/json.ts'
import { wrongType } from '../../wire/read-field.ts'

export function decodeToolChoice(choice: unknown): ToolChoice | undefined {
  const value = choice ?? undefined
  if (value === undefined || value === '') return undefined
  if (value === 'auto' || value === 'required' || value === 'none') return { type: value }
  if (!isObject(value)) {
    throw wrongType('tool_choice', '"auto", "required", "none" or an object that names a tool')
  }
  if (value['type'] === 'allowed_tools') return decodeAllowed(value)
  if (value['type'] === 'auto' || value['type'] === 'required' || value['type'] === 'none') {
    return { type: value['type'] }
  }
  if (value['type'] === 'any') return { type: 'required' }
  const namespace = stringAt(value, 'namespace')
  return {
    type: 'tool',
    name: nameIn(value, 'tool_choice'),
    ...(namespace === undefined ? {} : { namespace }),
  }
}

function decodeAllowed(value: JsonObject): ToolChoice {
  const { tools } = value
  if (!Array.isArray(tools)) throw wrongType('tool_choice.tools', 'a list')
  const names = tools.map((tool: unknown, index) => {
    const path = `tool_choice.tools[${index}]`
    if (!isObject(tool)) throw wrongType(path, 'an object')
    return nameIn(tool, path)
  })
  return { type: 'allowed', names, isRequired: value['mode'] === 'required' }
}

/** A function or a custom tool is chosen by its name, a hosted tool by its type. */
function nameIn(value: JsonObject, path: string): string {
  const type = stringAt(value, 'type')
  const isOwn = type === undefined || type === 'function' || type === 'custom' || type === 'tool'
  // Some clients leave out the type, or nest the name as another protocol does.
  const inner = objectAt(value, 'function') ?? objectAt(value, 'custom') ?? value
  const name = isOwn ? stringAt(inner, 'name') : type
  if (name === undefined) throw wrongType(isOwn ? `${path}.name` : `${path}.type`, 'a string')
  return name
}
