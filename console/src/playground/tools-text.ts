import { asObject, asText, parseText } from './read-json.ts'
import type { ToolDefinition } from './turn.ts'

export const sampleTools = JSON.stringify(
  [
    {
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      },
    },
  ],
  null,
  2,
)

/** Undefined if the text is not a list of functions with names. Empty text means no tools. */
export function readTools(text: string): readonly ToolDefinition[] | undefined {
  if (text.trim() === '') return []
  const list = parseText(text)
  if (!Array.isArray(list)) return undefined
  const tools = list.map((each): ToolDefinition | undefined => {
    const tool = asObject(each)
    const name = asText(tool['name'])
    const description = asText(tool['description'])
    if (name === undefined || name === '') return undefined
    return {
      name,
      ...(description !== undefined && { description }),
      ...(tool['parameters'] !== undefined && { parameters: asObject(tool['parameters']) }),
    }
  })
  const known = tools.filter((tool) => tool !== undefined)
  return known.length === tools.length ? known : undefined
}
