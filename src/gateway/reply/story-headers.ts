import type { ForwardParts } from '../charge/settling.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from '../forward/attempt.ts'

/** What a caller should know of the way its answer came: another model, something left out. */
export function addStoryHeaders(
  headers: Record<string, string>,
  { facts, story }: Exchange,
  { candidate: { model } }: Attempt,
  parts: ForwardParts,
): void {
  if (model.id !== facts.model) headers[parts.modelHeader] = encodeURI(model.id)
  if (story.warnings.length > 0) headers[parts.warningsHeader] = story.warnings.join(', ')
}
