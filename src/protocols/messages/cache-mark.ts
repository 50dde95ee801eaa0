import type { CacheMark } from '../../core/model-request.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'

const fiveMinutes: CacheMark = { ttl: '5m' }
const oneHour: CacheMark = { ttl: '1h' }

export function decodeCacheMark(value: unknown): CacheMark | undefined {
  if (!isObject(value)) return undefined
  return value['ttl'] === '1h' ? oneHour : fiveMinutes
}

export function encodeCacheMark(mark: CacheMark): JsonObject {
  return mark.ttl === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' }
}
