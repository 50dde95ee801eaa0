import type { CacheMark, ModelRequest, Part } from '../../../core/neutral/model-request.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { countCacheMarks } from '../../measure/count-cache-marks.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'

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

/** A call of the model and an empty result have no place for a mark. Servers without `cache_control` get none at all. */
export function noteDroppedMarks(request: ModelRequest, target: Target, notes: Notes): void {
  const isLost = target.traits.takesCacheMarks
    ? request.turns.some(({ parts }) => parts.some(isMarkedWithoutPlace))
    : countCacheMarks(request) > 0
  if (isLost) notes.harmless('cacheMark')
}

function isMarkedWithoutPlace(part: Part): boolean {
  const hasNoPlace =
    part.type === 'tool-call' || (part.type === 'tool-result' && part.parts.length === 0)
  return hasNoPlace && part.cacheMark !== undefined
}
