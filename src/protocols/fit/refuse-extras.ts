import type { ModelRequest, Part } from '../../core/neutral/model-request.ts'
import { isObject, parseJson, stringAt } from '../../wire/json.ts'
import type { Notes } from '../notes.ts'

/** Fields that refer to a part of the prompt that only the field's own vendor has. */
const promptElsewhere = ['cachedContent', 'cached_content', 'conversation', 'prompt', 'container']

/** Without that part the request would have another meaning, so every group refuses it. */
export function refuseExtras({ extras, turns }: ModelRequest, notes: Notes): void {
  if (turns.some(({ parts }) => parts.some(isCompacted))) {
    notes.refuse(
      'messages',
      'The conversation was compacted by another upstream, and the upstream of this model cannot read it. Send the full conversation, or continue with the model that compacted it.',
    )
  }
  for (const name of promptElsewhere) {
    if (extras[name] === undefined || extras[name] === null) continue
    notes.refuse(
      'extras',
      `The field "${name}" refers to something that only an upstream of this protocol has. Send it in the request itself.`,
      name,
    )
  }
}

/** The items in which the responses protocol stores a compacted conversation. */
const compacted = new Set(['compaction', 'compaction_summary', 'context_compaction'])

function isCompacted(part: Part): boolean {
  if (part.type !== 'hosted' || part.protocol !== 'responses') return false
  const item = parseJson(part.json)
  return isObject(item) && compacted.has(stringAt(item, 'type') ?? '')
}
