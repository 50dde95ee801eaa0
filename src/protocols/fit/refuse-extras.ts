import type { ModelRequest, Part } from '../../core/neutral/model-request.ts'
import { isObject, parseJson, stringAt } from '../../wire/json.ts'
import type { Notes } from '../notes.ts'
import type { Translation } from '../translation.ts'

/** Fields that refer to a part of the prompt that only the field's own vendor has. */
const promptElsewhere = ['cachedContent', 'cached_content', 'conversation', 'prompt', 'container']

/** Without that part the request would have another meaning, so every group refuses it. */
export function refuseExtras(
  { extras, turns }: ModelRequest,
  { compactedItems = [] }: Pick<Translation, 'compactedItems'>,
  notes: Notes,
): void {
  if (turns.some(({ parts }) => parts.some((part) => isOneOf(compactedItems, part)))) {
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

function isOneOf(types: readonly string[], part: Part): boolean {
  if (part.type !== 'hosted' || types.length === 0) return false
  const item = parseJson(part.json)
  return isObject(item) && types.includes(stringAt(item, 'type') ?? '')
}
