import type { Tool, ToolChoice } from '../../../core/neutral/model-request.ts'
import { jsonTextOf, plainOf } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import type { SchemaWork } from '../../schema/schema-work.ts'
import { satisfiesStrict } from '../../schema/strict-schema.ts'
import type { ToolList } from './tool-list.ts'

/** The members that contain a schema. Schemas are carried as the text that was sent. */
export const schemaMembers: ReadonlySet<string> = new Set(['parameters', 'schema'])

/** Adds the tools of one list. A tool that is already in `tools` stays unchanged. */
export function decodeTools(list: unknown, path: string, tools: ToolList): void {
  const value = plainOf(list) ?? []
  if (!Array.isArray(value)) throw wrongType(path, 'a list')
  for (const [index, tool] of value.entries()) {
    for (const decoded of decodeTool(tool, `${path}[${index}]`, tools.work)) tools.add(decoded)
  }
}

function decodeTool(tool: unknown, path: string, work: SchemaWork, namespace?: string): Tool[] {
  if (!isObject(tool)) throw wrongType(path, 'an object')
  switch (tool['type']) {
    case 'function':
      return [decodeFunction(tool, path, work, namespace)]
    case 'custom': {
      const format = tool['format'] ?? undefined
      return [
        {
          type: 'custom',
          name: nameOf(tool, path),
          ...(namespace === undefined ? {} : { namespace }),
          description: stringAt(tool, 'description'),
          format: format === undefined ? undefined : jsonTextOf(format),
        },
      ]
    }
    case 'namespace': {
      const inner = plainOf(tool['tools'])
      if (!Array.isArray(inner)) throw wrongType(`${path}.tools`, 'a list')
      const name = nameOf(tool, path)
      return inner.flatMap((each: unknown, index) =>
        decodeTool(each, `${path}.tools[${index}]`, work, name),
      )
    }
    default: {
      const name = stringAt(tool, 'type')
      if (name === undefined) throw wrongType(`${path}.type`, 'a string')
      const kind = name.startsWith('web_search') ? 'web-search' : 'other'
      return [{ type: 'hosted', kind, name, protocol: 'responses', json: jsonTextOf(tool) }]
    }
  }
}

function decodeFunction(
  tool: JsonObject,
  path: string,
  work: SchemaWork,
  namespace: string | undefined,
): Tool {
  const parameters = tool['parameters'] ?? undefined
  if (parameters !== undefined && !isObject(plainOf(parameters))) {
    throw wrongType(`${path}.parameters`, 'an object')
  }
  const schema = parameters === undefined ? undefined : jsonTextOf(parameters)
  return {
    type: 'function',
    name: nameOf(tool, path),
    ...(namespace === undefined ? {} : { namespace }),
    description: stringAt(tool, 'description'),
    schema,
    isStrict: readStrict(tool, schema, work),
  }
}

/** Strict is the default here, but only a schema that satisfies the strict rules becomes strict. */
function readStrict(
  tool: JsonObject,
  schema: string | undefined,
  work: SchemaWork,
): boolean | undefined {
  const strict = tool['strict']
  if (typeof strict === 'boolean') return strict
  return schema !== undefined && satisfiesStrict(schema, work) ? true : undefined
}

function nameOf(tool: JsonObject, path: string): string {
  const name = stringAt(tool, 'name')
  if (name === undefined || name === '') throw wrongType(`${path}.name`, 'a string')
  return name
}

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
