import type { CacheMark } from '../../core/model-request.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Notes } from '../notes.ts'
import type { Target } from '../translation.ts'

/** `cache_control` for servers that honour it; other servers cache automatically. */
export function encodeMark(mark: CacheMark | undefined, target: Target): JsonObject {
  if (!mark || !target.traits.takesCacheMarks) return {}
  const ttl = mark.ttl === '1h' ? mark.ttl : undefined
  return { cache_control: { type: 'ephemeral', ttl } }
}

export function dropMark(notes: Notes): void {
  notes.harmless('cacheMark')
}
