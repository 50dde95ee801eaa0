import type { Question } from './question.ts'
import { countTokens } from './tokens.ts'

/** Everything the demo model was given to read: the turns and the tools on offer. */
export function countInputTokens(question: Question): number {
  const turns = question.turns.map((turn) => countTokens(turn.text))
  const tools = question.tools.map((tool) => countTokens(JSON.stringify(tool)))
  return [...turns, ...tools].reduce((sum, count) => sum + count, 0)
}
