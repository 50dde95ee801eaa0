import type { CacheMark } from '../../core/model-request.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'
import type { Notes } from '../notes.ts'
import type { Target } from '../translation.ts'

/** `cache_control`, which OpenRouter and others adopted from the messages protocol. */
export function decodeCacheMark(value: JsonObject): CacheMark | undefined {
  const mark = value['cache_control']
  if (!isObject(mark)) return undefined
  return { ttl: mark['ttl'] === '1h' ? '1h' : '5m' }
}

/** `cache_control` for servers that honour it; other servers cache automatically. */
export function encodeCacheMark(mark: CacheMark | undefined, target: Target): JsonObject {
  if (!mark || !target.traits.takesCacheMarks) return {}
  const ttl = mark.ttl === '1h' ? mark.ttl : undefined
  return { cache_control: { type: 'ephemeral', ttl } }
}

export function noteDroppedMark(notes: Notes): void {
  notes.harmless('cacheMark')
}
