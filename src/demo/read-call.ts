import { fieldOf, textOf } from './json-value.ts'

/**
 * An earlier tool call as text to count. Its arguments are JSON text in two protocols and an object in the other two.
 */
export function readCall(call: unknown, argumentsName: 'arguments' | 'args' | 'input'): string {
  const given = fieldOf(call, argumentsName) ?? {}
  return `${textOf(fieldOf(call, 'name')) ?? ''} ${textOf(given) ?? JSON.stringify(given)}`
}
