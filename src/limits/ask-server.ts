import type { LimitKind, LimitValues, OwnedLimits } from '../core/limits/rate-limit.ts'
import type { Script, ScriptArgs } from '../store/redis/ordered-scripts.ts'
import { keyPrefix, ScriptHostDown } from '../store/redis/script-host.ts'
import { tightestOf } from './levels.ts'
import { takeScript } from './limit-scripts.ts'
import { concurrentWaitMs, type LimitRefusal, refusalBy } from './limiter.ts'
import { waitFor } from './rate.ts'

/** The server that counts for all replicas. */
export interface LimitsServer {
  readonly isUp: boolean
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>
}

/** The place of a running request becomes free after this time, unless its process renews it. */
export const placeMs = 60_000

export interface LimitsRequest {
  /** The limits of the request: all of them must have room. */
  readonly applied: readonly OwnedLimits[]
  /** The limits of credentials in their order: the first one with room is taken. */
  readonly credentials: readonly OwnedLimits[]
  readonly tokens: number
  /** The permit to enter; undefined: takes nothing. */
  readonly permit: string | undefined
}

/** One owner as the server has answered. */
export interface ServerState {
  readonly owned: OwnedLimits
  readonly values: LimitValues
  readonly requestsFullInMs: number
  readonly tokensFullInMs: number
  readonly running: number
}

export interface LimitsAnswer {
  readonly isAdmitted: boolean
  readonly applied: readonly ServerState[]
  /** The credentials that were checked: those without room, and after them the one that was taken. */
  readonly credentials: readonly ServerState[]
  /** The index of the credential that was taken; -1: none. */
  readonly taken: number
}

/** Asks about all limits of a request, and about those of its first credentials, in one call. */
export async function askServer(
  server: LimitsServer,
  request: LimitsRequest,
): Promise<LimitsAnswer> {
  const { applied, credentials } = request
  const all = ownersOf(request)
  const { script, keys, values } = takeArgs(request)
  const answer = await server.run(script, keys, values)
  if (!Array.isArray(answer) || answer.length !== 2 + 3 * all.length)
    throw new ScriptHostDown('the server gave an unknown answer')
  const numbers = answer.map(Number)
  const states = all.map((owned, index) => ({
    owned,
    values: owned.values,
    requestsFullInMs: numbers[2 + 3 * index] ?? 0,
    tokensFullInMs: numbers[3 + 3 * index] ?? 0,
    running: numbers[4 + 3 * index] ?? 0,
  }))
  const isAdmitted = numbers[0] === 1
  const taken = (numbers[1] ?? 0) - 1
  const asked = taken < 0 ? credentials.length : taken + 1
  return {
    isAdmitted,
    applied: states.slice(0, applied.length),
    credentials: isAdmitted ? states.slice(applied.length, applied.length + asked) : [],
    taken,
  }
}

/** The call for a request. */
export function takeArgs(request: LimitsRequest): ScriptArgs {
  const { applied, tokens, permit } = request
  const all = ownersOf(request)
  const isTaking = permit !== undefined
  const values = [
    isTaking ? '1' : '0',
    String(tokens),
    permit ?? '',
    String(placeMs),
    String(applied.length),
  ]
  for (const { values: limits } of all) {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits
    values.push(
      String(requestsPerMinute ?? 0),
      String(tokensPerMinute ?? 0),
      String(concurrentRequests ?? 0),
    )
  }
  return { script: takeScript, keys: keysOf(all), values }
}

/** In the order of the call. */
function ownersOf({ applied, credentials }: LimitsRequest): readonly OwnedLimits[] {
  return credentials.length === 0 ? applied : [...applied, ...credentials]
}

/** The two keys of each owner. */
export function keysOf(owners: readonly OwnedLimits[]): string[] {
  return owners.flatMap(({ name }) => [`${keyPrefix}rate:${name}`, placeKey(name)])
}

export function placeKey(name: string): string {
  return `${keyPrefix}running:${name}`
}

/** The limit that takes longest. */
export function refusalOf(
  states: readonly ServerState[],
  tokens: number,
): LimitRefusal | undefined {
  const found = states.flatMap((state) => waitsOf(state, tokens))
  const longest = found.reduce<(typeof found)[number] | undefined>(
    (one, other) => (one && one.waitMs >= other.waitMs ? one : other),
    undefined,
  )
  if (!longest) return undefined
  const { state, kind, waitMs } = longest
  return refusalBy(state.owned, kind, waitMs, tightestOf(states), tightestOf([state]))
}

function waitsOf(
  state: ServerState,
  tokens: number,
): { readonly state: ServerState; readonly kind: LimitKind; readonly waitMs: number }[] {
  const { owned, requestsFullInMs, tokensFullInMs, running } = state
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = owned.values
  const requestsMs =
    requestsPerMinute === null ? undefined : waitFor(requestsPerMinute, 1, requestsFullInMs)
  const tokensMs =
    tokensPerMinute === null ? undefined : waitFor(tokensPerMinute, tokens, tokensFullInMs)
  const isCrowded = concurrentRequests !== null && running >= concurrentRequests
  return [
    ...(requestsMs === undefined ? [] : [{ state, kind: 'requests' as const, waitMs: requestsMs }]),
    ...(tokensMs === undefined ? [] : [{ state, kind: 'tokens' as const, waitMs: tokensMs }]),
    ...(isCrowded ? [{ state, kind: 'concurrent' as const, waitMs: concurrentWaitMs }] : []),
  ]
}
