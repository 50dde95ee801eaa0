import type { Turn } from '../../core/model-request.ts'
import type { JsonObject } from '../../wire/json.ts'

/**
 * The tools that the conversation speaks of, for a request that offers none: the API refuses calls and results
 * whose tools nobody has declared. They are open to any input, and to be declared with a choice of `none`.
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
