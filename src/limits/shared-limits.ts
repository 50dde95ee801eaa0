import { DenseSet, type DenseSetMember } from '../core/dense-set.ts'
import type { LimitKind, LimitValues, OwnedLimits, RateLevels } from '../core/rate-limit.ts'
import { type Script, ScriptHostDown } from '../store/redis/script-host.ts'
import { tightestOf } from './levels.ts'
import { finishScript, renewScript, takeScript } from './limit-scripts.ts'
import {
  concurrentWaitMs,
  type Limiter,
  type LimitRefusal,
  LimitsUnavailable,
  type Permit,
  refusalBy,
  type Verdict,
} from './limiter.ts'
import type { LocalLimits } from './local-limits.ts'
import { minuteMs, waitFor } from './rate.ts'

/** Braces: a cluster keeps all keys of one script on one server. */
const prefix = 'tollgate:{limits}:'
/** The place of a running request becomes free after this time, if its process gives no sign of life. */
const placeMs = 60_000
const renewEveryMs = 20_000
/** The places that one call renews. */
const renewedAtOnce = 500

export interface SharedLimitsDeps {
  readonly host: {
    readonly isUp: boolean
    run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>
  }
  /** Counts the same requests in this process, and decides while the server cannot be reached. */
  readonly local: LocalLimits
  /** What happens while the server cannot be reached. */
  readonly fallback: 'local' | 'refuse'
  /** Different in every process. */
  readonly permitPrefix: string
  /** Called for each request that the server did not decide. */
  onUnshared(): void
}

/** One owner as the server has answered. */
interface ServerState {
  readonly owned: OwnedLimits
  readonly values: LimitValues
  readonly requestsFullInMs: number
  readonly tokensFullInMs: number
  readonly running: number
}

/** Counts on a server that all replicas share: exactly, with one call for all limits of a request. */
export class SharedLimits implements Limiter {
  readonly #deps: SharedLimitsDeps
  readonly #running = new DenseSet<SharedPermit>()
  readonly #timer: ReturnType<typeof setInterval>
  #permits = 0

  constructor(deps: SharedLimitsDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => void this.renew(), renewEveryMs)
    this.#timer.unref()
  }

  admit(applied: readonly OwnedLimits[], tokens: number): Verdict | Promise<Verdict> {
    if (!this.#deps.host.isUp) return this.#decideAlone(applied, tokens)
    return this.#take(applied, tokens).catch((error: unknown) => {
      if (!(error instanceof ScriptHostDown)) throw error
      return this.#decideAlone(applied, tokens)
    })
  }

  async preview(
    applied: readonly OwnedLimits[],
    tokens: number,
  ): Promise<LimitRefusal | undefined> {
    const { host, local, fallback } = this.#deps
    try {
      const { isAdmitted, states } = await this.#ask(applied, tokens, { isTaking: false, id: '' })
      return isAdmitted ? undefined : refusalOf(states, tokens)
    } catch (error) {
      if (!(error instanceof ScriptHostDown) || host.isUp) throw error
      if (fallback === 'refuse') throw unavailable()
      return local.preview(applied, tokens)
    }
  }

  /** Tells the server which requests of this process still run. */
  async renew(): Promise<void> {
    const places = this.#running.list().flatMap((permit) => permit.places())
    for (let from = 0; from < places.length; from += renewedAtOnce) {
      const some = places.slice(from, from + renewedAtOnce)
      const keys = some.map(({ key }) => key)
      const values = [String(placeMs), ...some.map(({ id }) => id)]
      await this.#deps.host.run(renewScript, keys, values).catch(ignoreDown)
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #take(applied: readonly OwnedLimits[], tokens: number): Promise<Verdict> {
    const { host, local, permitPrefix } = this.#deps
    this.#permits += 1
    const id = `${permitPrefix}-${this.#permits}`
    const { isAdmitted, states } = await this.#ask(applied, tokens, { isTaking: true, id })
    const refusal = isAdmitted ? undefined : refusalOf(states, tokens)
    if (refusal) return refusal
    const permit = new SharedPermit({
      applied,
      states,
      id,
      tokens,
      local: local.count(applied, tokens),
      finish: (keys, values) => {
        this.#running.remove(permit)
        void host.run(finishScript, keys, values).catch(ignoreDown)
      },
    })
    this.#running.add(permit)
    return permit
  }

  async #ask(
    applied: readonly OwnedLimits[],
    tokens: number,
    { isTaking, id }: { readonly isTaking: boolean; readonly id: string },
  ): Promise<{ readonly isAdmitted: boolean; readonly states: readonly ServerState[] }> {
    const values = [isTaking ? '1' : '0', String(tokens), id, String(placeMs)]
    for (const { values: limits } of applied) {
      const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits
      for (const limit of [requestsPerMinute, tokensPerMinute, concurrentRequests])
        values.push(String(limit ?? 0))
    }
    const answer = await this.#deps.host.run(takeScript, keysOf(applied), values)
    if (!Array.isArray(answer) || answer.length !== 1 + 3 * applied.length)
      throw new ScriptHostDown('the server gave an unknown answer')
    const numbers = answer.map(Number)
    const states = applied.map((owned, index) => ({
      owned,
      values: owned.values,
      requestsFullInMs: numbers[1 + 3 * index] ?? 0,
      tokensFullInMs: numbers[2 + 3 * index] ?? 0,
      running: numbers[3 + 3 * index] ?? 0,
    }))
    return { isAdmitted: numbers[0] === 1, states }
  }

  #decideAlone(applied: readonly OwnedLimits[], tokens: number): Verdict | Promise<Verdict> {
    const { local, fallback, onUnshared } = this.#deps
    onUnshared()
    return fallback === 'refuse' ? Promise.reject(unavailable()) : local.admit(applied, tokens)
  }
}

function unavailable(): LimitsUnavailable {
  return new LimitsUnavailable(
    'the server of the setting limits cannot be reached, and limitsFallback is refuse',
  )
}

/** The place of a lost call becomes free by itself, and an estimate that is not corrected expires. */
function ignoreDown(error: unknown): void {
  if (!(error instanceof ScriptHostDown)) throw error
}

function keysOf(applied: readonly OwnedLimits[]): string[] {
  return applied.flatMap(({ name }) => [`${prefix}rate:${name}`, placeKey(name)])
}

function placeKey(name: string): string {
  return `${prefix}running:${name}`
}

/** The limit that takes longest. */
function refusalOf(states: readonly ServerState[], tokens: number): LimitRefusal | undefined {
  const found = states.flatMap((state) => waitsOf(state, tokens))
  const longest = found.reduce<(typeof found)[number] | undefined>(
    (one, other) => (one && one.waitMs >= other.waitMs ? one : other),
    undefined,
  )
  return longest && refusalBy(longest.owned, longest.kind, longest.waitMs, tightestOf(states))
}

function waitsOf(
  { owned, requestsFullInMs, tokensFullInMs, running }: ServerState,
  tokens: number,
): { readonly owned: OwnedLimits; readonly kind: LimitKind; readonly waitMs: number }[] {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = owned.values
  const requestsMs =
    requestsPerMinute === null ? undefined : waitFor(requestsPerMinute, 1, requestsFullInMs)
  const tokensMs =
    tokensPerMinute === null ? undefined : waitFor(tokensPerMinute, tokens, tokensFullInMs)
  const isCrowded = concurrentRequests !== null && running >= concurrentRequests
  return [
    ...(requestsMs === undefined ? [] : [{ owned, kind: 'requests' as const, waitMs: requestsMs }]),
    ...(tokensMs === undefined ? [] : [{ owned, kind: 'tokens' as const, waitMs: tokensMs }]),
    ...(isCrowded ? [{ owned, kind: 'concurrent' as const, waitMs: concurrentWaitMs }] : []),
  ]
}

interface SharedPermitParts {
  readonly applied: readonly OwnedLimits[]
  readonly states: readonly ServerState[]
  readonly id: string
  readonly tokens: number
  readonly local: Permit
  finish(keys: readonly string[], values: readonly string[]): void
}

/** An admitted request that the server counts. */
class SharedPermit implements Permit, DenseSetMember {
  denseIndex: number | undefined
  readonly #parts: SharedPermitParts
  #hasEnded = false

  constructor(parts: SharedPermitParts) {
    this.#parts = parts
  }

  end(tokens: number): void {
    if (this.#hasEnded) return
    this.#parts.local.end(tokens)
    this.#finish(tokens, 0)
  }

  giveBack(): void {
    if (this.#hasEnded) return
    this.#parts.local.giveBack()
    this.#finish(0, 1)
  }

  levels(): RateLevels {
    return tightestOf(this.#parts.states)
  }

  places(): { readonly key: string; readonly id: string }[] {
    const { applied, id } = this.#parts
    return applied
      .filter(({ values }) => values.concurrentRequests !== null)
      .map(({ name }) => ({ key: placeKey(name), id }))
  }

  #finish(tokens: number, requestsBack: number): void {
    this.#hasEnded = true
    const { applied, id, tokens: estimate, finish } = this.#parts
    const values = [id]
    for (const { values: limits } of applied) {
      const { requestsPerMinute, tokensPerMinute } = limits
      const requestsMs =
        requestsPerMinute === null ? 0 : (-requestsBack * minuteMs) / requestsPerMinute
      const difference = tokens - Math.min(estimate, tokensPerMinute ?? 0)
      const tokensMs = tokensPerMinute === null ? 0 : (difference * minuteMs) / tokensPerMinute
      values.push(String(requestsMs), String(tokensMs))
    }
    finish(keysOf(applied), values)
  }
}
