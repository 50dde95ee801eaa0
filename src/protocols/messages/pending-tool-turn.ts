import type { ModelRequest, Part } from '../../core/model-request.ts'

/**
 * What the model has said since its caller last spoke, when it has called tools and the results come now: it
 * then goes on with one thought. Empty when the caller has the word.
 */
export function pendingToolTurn({ turns }: ModelRequest): readonly Part[] {
  const said: Part[] = []
  let hasResults = false
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index]
    if (!turn || turn.role === 'system') continue
    if (turn.role === 'assistant') {
      if (!hasResults) return []
      said.push(...turn.parts)
    } else if (turn.parts.some(({ type }) => type === 'tool-result')) hasResults = true
    else if (said.length > 0) break
  }
  return said
}
