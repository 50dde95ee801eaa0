import type { Turn } from '../../core/model-request.ts'
import type { JsonObject } from '../../wire/json.ts'

/**
 * The tools that the conversation mentions, for a request that offers none: the API rejects calls and results of
 * undeclared tools. The tools accept any input and are declared with the choice `none`.
 */
export function toolsOfHistory(turns: readonly Turn[]): JsonObject[] {
  const names = new Set<string>()
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') continue
      if (part.name !== undefined) names.add(part.name)
    }
  }
  return [...names].map((name) => ({ name, input_schema: { type: 'object' } }))
}
