import type { ModelRequest, Part } from '../../core/model-request.ts'

/**
 * The model's parts since the user last spoke, if the model has called tools and the results arrive now: the model then
 * continues the same reasoning. Empty when it is the user's turn.
 */
export function pendingToolTurn({ turns }: ModelRequest): readonly Part[] {
  const spoken: Part[] = []
  let hasResults = false
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index]
    if (!turn || turn.role === 'system') continue
    if (turn.role === 'assistant') {
      if (!hasResults) return []
      spoken.push(...turn.parts)
    } else if (turn.parts.some(({ type }) => type === 'tool-result')) hasResults = true
    else if (spoken.length > 0) break
  }
  return spoken
}
