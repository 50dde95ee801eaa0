import { isObject } from '../../wire/json.ts'
import type { DemoTurn, OfferedTool, Structure } from './demo-protocol.ts'
import { fieldOf, listOf, textAt, textOf } from './json-value.ts'

/** The text of a message's content, a string or a list of parts. Other parts are named in brackets. */
export function readContent(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = isObject(content) ? [content] : listOf(content)
  return parts.map(readPart).join(' ')
}

function readPart(part: unknown): string {
  if (typeof part === 'string') return part
  const text = textAt(part, 'text', 'refusal', 'thinking')
  return text ?? `[${textAt(part, 'type') ?? 'media'}]`
}

/**
 * An earlier tool call as text to count. Its arguments are JSON text in two protocols and an object in the other two.
 */
export function readCall(call: unknown, argumentsName: 'arguments' | 'args' | 'input'): string {
  const given = fieldOf(call, argumentsName) ?? {}
  return `${textAt(call, 'name') ?? ''} ${textOf(given) ?? JSON.stringify(given)}`
}

/** The function tool in the object that holds its name and schema, as a list of one; empty without a name. */
export function readTool(declared: unknown, ...schemaNames: readonly string[]): OfferedTool[] {
  const name = textAt(declared, 'name')
  if (name === undefined) return []
  const schema = fieldOf(declared, ...schemaNames)
  const description = textAt(declared, 'description') ?? ''
  return [{ name, description, schema: isObject(schema) ? schema : {} }]
}

export function systemTurn(text: string | undefined): DemoTurn[] {
  return text === undefined ? [] : [{ role: 'system', text }]
}

export function readSchema(schema: unknown): Structure {
  return isObject(schema) ? { schema } : 'json-object'
}
