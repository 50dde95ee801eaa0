import type { CustomTool, FunctionTool, JsonText } from '../../core/neutral/model-request.ts'
import { isObject, objectAt, parseJson, stringAt } from '../../wire/json.ts'

const inputSchema =
  '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}'

/** A free-text tool for upstreams whose tools take JSON: a function with one string. */
export function customToolAsFunction(tool: CustomTool): FunctionTool {
  const grammar = grammarOf(tool.format)
  return {
    type: 'function',
    name: tool.name,
    namespace: tool.namespace,
    description: [tool.description, grammar && `The input must match this grammar:\n${grammar}`]
      .filter((text) => text)
      .join('\n\n'),
    schema: inputSchema,
    isStrict: undefined,
  }
}

/** The arguments of such a function; `unwrap-input.ts` reverses this. */
export function wrapInput(text: string): JsonText {
  return `{"input":${JSON.stringify(text)}}`
}

/** Chat-completions nests the grammar once more than responses does. */
export function grammarOf(format: JsonText | undefined): string | undefined {
  const value = format === undefined ? undefined : parseJson(format)
  if (!isObject(value)) return undefined
  const grammar = objectAt(value, 'grammar') ?? value
  const definition = stringAt(grammar, 'definition')
  if (definition === undefined) return undefined
  const syntax = stringAt(grammar, 'syntax')
  return syntax === undefined ? definition : `${definition}\n(syntax: ${syntax})`
}
