import type { Question } from './question.ts'
import { countTokens } from './tokens.ts'

/** Counts everything that the demo model reads: the turns and the offered tools. */
export function countInputTokens(question: Question): number {
  const turns = question.turns.map((turn) => countTokens(turn.text))
  const tools = question.tools.map((tool) => countTokens(JSON.stringify(tool)))
  return [...turns, ...tools].reduce((sum, count) => sum + count, 0)
}
