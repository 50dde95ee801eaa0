import type { LimitFallback, OwnedLimits } from '../core/limits/rate-limit.ts'
import { DenseSet } from '../core/runtime/dense-set.ts'
import { ScriptHostDown } from '../store/redis/script-host.ts'
import { askServer, keysOf, type LimitsServer, placeMs, refusalOf } from './ask-server.ts'
import { finishScript, renewScript } from './limit-scripts.ts'
import { type Limiter, type LimitRefusal, LimitsUnavailable, type Verdict } from './limiter.ts'
import type { LocalLimits } from './local-limits.ts'
import { type Correction, SharedPermit } from './shared-permit.ts'

const renewEveryMs = 20_000
/** The places that one call renews. */
const renewedAtOnce = 500
/** The corrections that one call sends. */
const correctedAtOnce = 100

export interface SharedLimitsDeps {
  readonly host: LimitsServer
  /** Counts the same requests in this process, and decides while the server cannot be reached. */
  readonly local: LocalLimits
  /** The behaviour while the server cannot be reached. */
  readonly fallback: LimitFallback
  /** Different in every process. */
  readonly permitPrefix: string
  readonly nowMs: () => number
  /** Called for each request that the server did not decide. */
  onUnshared(): void
}

/**
 * Counts on a server that all replicas share: exactly, with one call for all limits of a request and of its first
 * credential.
 */
export class SharedLimits implements Limiter {
  readonly #deps: SharedLimitsDeps
  readonly #running = new DenseSet<SharedPermit>()
  readonly #timer: ReturnType<typeof setInterval>
  #corrections: Correction[] = []
  #permits = 0

  constructor(deps: SharedLimitsDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => void this.renew(), renewEveryMs)
    this.#timer.unref()
  }

  get isRemote(): boolean {
    return this.#deps.host.isUp
  }

  admit(
    applied: readonly OwnedLimits[],
    tokens: number,
    credentials: readonly OwnedLimits[] = [],
  ): Verdict | Promise<Verdict> {
    if (!this.#deps.host.isUp) return this.#decideAlone(applied, tokens)
    return this.#take(applied, tokens, credentials).catch((error: unknown) => {
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
      const request = { applied, credentials: [], tokens, permit: undefined }
      const answer = await askServer(host, request)
      return answer.isAdmitted ? undefined : refusalOf(answer.applied, tokens)
    } catch (error) {
      if (!(error instanceof ScriptHostDown) || host.isUp) throw error
      if (fallback === 'refuse') throw unavailable()
      return local.preview(applied, tokens)
    }
  }

  /** Tells the server which requests of this process still run, before it can learn that one of them has ended. */
  async renew(): Promise<void> {
    const places = this.#running.list().flatMap((permit) => permit.places())
    const calls: Promise<unknown>[] = []
    for (let from = 0; from < places.length; from += renewedAtOnce) {
      const some = places.slice(from, from + renewedAtOnce)
      const keys = some.map(({ key }) => key)
      const values = [String(placeMs), ...some.map(({ id }) => id)]
      calls.push(this.#deps.host.run(renewScript, keys, values).catch(ignoreDown))
    }
    await Promise.all(calls)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #take(
    applied: readonly OwnedLimits[],
    tokens: number,
    credentials: readonly OwnedLimits[],
  ): Promise<Verdict> {
    this.#permits += 1
    const id = `${this.#deps.permitPrefix}-${this.#permits}`
    const request = { applied, credentials, tokens, permit: id }
    const answer = await askServer(this.#deps.host, request)
    const refusal = answer.isAdmitted ? undefined : refusalOf(answer.applied, tokens)
    if (refusal) return refusal
    const asked = new Map<OwnedLimits, Verdict>()
    for (const [index, state] of answer.credentials.entries()) {
      const verdict =
        index === answer.taken ? this.#permit(id, [state], tokens) : refusalOf([state], tokens)
      if (verdict) asked.set(state.owned, verdict)
    }
    return this.#permit(id, answer.applied, tokens, asked)
  }

  #permit(
    id: string,
    states: ConstructorParameters<typeof SharedPermit>[0]['states'],
    tokens: number,
    asked = new Map<OwnedLimits, Verdict>(),
  ): SharedPermit {
    const { local, nowMs } = this.#deps
    const counted = local.count(
      states.map(({ owned }) => owned),
      tokens,
    )
    const permit = new SharedPermit({
      id,
      states,
      tokens,
      local: counted,
      asked,
      nowMs,
      finish: (ended, corrections) => this.#finish(ended, corrections),
    })
    this.#running.add(permit)
    return permit
  }

  /** Corrections of the same moment share a call, which is sent before the client gets its answer. */
  #finish(permit: SharedPermit, corrections: readonly Correction[]): void {
    this.#running.remove(permit)
    if (this.#corrections.length === 0) queueMicrotask(() => this.#correct())
    this.#corrections.push(...corrections)
    if (this.#corrections.length >= correctedAtOnce) this.#correct()
  }

  #correct(): void {
    const corrections = this.#corrections
    if (corrections.length === 0) return
    this.#corrections = []
    const values = corrections.flatMap(({ permit, requestsMs, tokensMs }) => [
      permit,
      String(requestsMs),
      String(tokensMs),
    ])
    const keys = keysOf(corrections.map(({ owned }) => owned))
    void this.#deps.host.run(finishScript, keys, values).catch(ignoreDown)
  }

  /** A request without limits of its own is admitted; the attempt then decides about its credential. */
  #decideAlone(applied: readonly OwnedLimits[], tokens: number): Verdict | Promise<Verdict> {
    const { local, fallback, onUnshared } = this.#deps
    if (applied.length === 0) return local.admit(applied, tokens)
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
