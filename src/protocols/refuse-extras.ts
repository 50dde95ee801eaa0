import type { ModelRequest } from '../core/model-request.ts'
import type { Notes } from './notes.ts'

/** Fields that stand for a part of the prompt which only their own vendor has. */
const promptElsewhere = ['cachedContent', 'cached_content', 'conversation', 'prompt', 'container']

/** Without that part the question would be another one, so no group is lenient about it. */
export function refuseExtras({ extras }: ModelRequest, notes: Notes): void {
  for (const name of promptElsewhere) {
    if (extras[name] === undefined || extras[name] === null) continue
    notes.refuse(
      'extras',
      `The field "${name}" refers to something that only an upstream of this protocol has. Send it in the request itself.`,
      name,
    )
  }
}
