import type { CacheMark, ModelRequest } from '../../../core/neutral/model-request.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { countCacheMarks } from '../../measure/count-cache-marks.ts'
import type { Notes } from '../../notes.ts'

const marksMax = 4

/**
 * Assigns the cache marks that a request may have. If there are too many, the earliest are dropped, because they save
 * least.
 */
export class CacheMarks {
  #surplus: number

  constructor(request: ModelRequest, notes: Notes) {
    this.#surplus = Math.max(0, countCacheMarks(request) - marksMax)
    if (this.#surplus > 0) notes.harmless('cacheMark')
  }

  /** The member to spread into a block. */
  take(mark: CacheMark | undefined): JsonObject {
    if (!mark) return {}
    if (this.#surplus > 0) {
      this.#surplus -= 1
      return {}
    }
    return { cache_control: encodeCacheMark(mark) }
  }
}

const fiveMinutes: CacheMark = { ttl: '5m' }
const oneHour: CacheMark = { ttl: '1h' }

export function decodeCacheMark(value: unknown): CacheMark | undefined {
  if (!isObject(value)) return undefined
  return value['ttl'] === '1h' ? oneHour : fiveMinutes
}

export function encodeCacheMark(mark: CacheMark): JsonObject {
  return mark.ttl === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' }
}
