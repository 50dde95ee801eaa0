import type { OwnedLimits } from '../core/limits/rate-limit.ts'
import type { ScriptArgs } from '../store/redis/ordered-scripts.ts'
import { keysOf, placeKey, takeArgs } from './ask-server.ts'
import { finishScript, renewScript } from './limit-scripts.ts'
import { minuteMs } from './rate.ts'

const none = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null }
const many = 1_000_000
const checkedRates: OwnedLimits = {
  owner: 'key',
  name: 'check',
  values: { ...none, requestsPerMinute: many, tokensPerMinute: many },
}
const checkedPlaces: OwnedLimits = {
  owner: 'key',
  name: 'check',
  values: { ...none, concurrentRequests: many },
}
const checkedMs = String(minuteMs / many)

/**
 * Calls that use every command of the scripts, and leave nothing behind. A server that answers may still be unable to
 * count: it is a read-only replica, has no memory left, or its user lacks a right. Rates and places are separate,
 * because a server without memory runs a script to its end that has begun with a deletion.
 */
export const limitChecks: readonly ScriptArgs[] = [
  takeArgs({ applied: [checkedRates], credentials: [], tokens: 1, permit: 'check' }),
  takeArgs({ applied: [checkedPlaces], credentials: [], tokens: 1, permit: 'check' }),
  { script: renewScript, keys: [placeKey('check')], values: ['1000', 'check'] },
  {
    script: finishScript,
    keys: keysOf([checkedRates]),
    values: ['check', `-${checkedMs}`, `-${checkedMs}`],
  },
]
