import type { LimitFallback, OwnedLimits } from '../core/limits/rate-limit.ts'
import { DenseSet } from '../core/runtime/dense-set.ts'
import { ScriptHostDown } from '../store/redis/script-host.ts'
import {
  askServer,
  keysOf,
  type LimitsServer,
  placeMs,
  refusalOf,
  type ServerState,
} from './ask-server.ts'
import { finishScript, renewScript } from './limit-scripts.ts'
import { type Limiter, LimitRefusal, LimitsUnavailable, type Verdict } from './limiter.ts'
import type { LocalLimits } from './local-limits.ts'
import {
  type Correction,
  placeOnly,
  SharedPermit,
  type SharedPermitParts,
  withPlaces,
} from './shared-permit.ts'

const renewEveryMs = 20_000
/** The places that one call renews. */
const renewedAtOnce = 500
/** The corrections that one call sends. */
const correctedAtOnce = 100
/** The places to free when the server is back. Further ones become free by themselves. */
const latePlacesMax = 10_000

export interface SharedLimitsDeps {
  readonly host: LimitsServer
  /** Follows what the server counts, and decides while the server cannot be reached. */
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
  /** Places that the server may still count although their requests have ended. */
  #latePlaces: Correction[] = []
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
    this.#permits += 1
    const id = `${this.#deps.permitPrefix}-${this.#permits}`
    if (!this.#deps.host.isUp) return this.#decideAlone(id, applied, tokens)
    // What has just ended must not take the place of this request: it may be the retry of an attempt that has failed.
    this.#correct()
    return this.#take(id, applied, tokens, credentials).catch((error: unknown) => {
      if (!(error instanceof ScriptHostDown)) throw error
      // The server may have run the call, or may still run it.
      const owners = withPlaces([...applied, ...credentials])
      this.#keep(owners.map((owned) => placeOnly(owned, id)))
      return this.#decideAlone(id, applied, tokens)
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
      if (!(error instanceof ScriptHostDown)) throw error
      if (fallback === 'refuse') throw unavailable()
      return local.preview(applied, tokens)
    }
  }

  /**
   * Tells the server which requests of this process still run, before it can learn that one of them has ended. Called
   * as soon as the server is back, and then regularly.
   */
  async renew(): Promise<void> {
    if (!this.#deps.host.isUp) return
    // First, because a place that is freed may belong to a running request that the server did not admit.
    const late = this.#latePlaces
    this.#latePlaces = []
    const calls: Promise<unknown>[] = []
    for (let from = 0; from < late.length; from += correctedAtOnce)
      calls.push(this.#send(late.slice(from, from + correctedAtOnce)))
    const places = this.#running.list().flatMap((permit) => permit.places())
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
    id: string,
    applied: readonly OwnedLimits[],
    tokens: number,
    credentials: readonly OwnedLimits[],
  ): Promise<Verdict> {
    const request = { applied, credentials, tokens, permit: id }
    const answer = await askServer(this.#deps.host, request)
    const refusal = answer.isAdmitted ? undefined : refusalOf(answer.applied, tokens)
    if (refusal) return refusal
    const asked = new Map<OwnedLimits, Verdict>()
    for (const [index, state] of answer.credentials.entries()) {
      const verdict =
        index === answer.taken ? this.#counted(id, [state], tokens) : refusalOf([state], tokens)
      if (verdict) asked.set(state.owned, verdict)
    }
    return this.#counted(id, answer.applied, tokens, asked)
  }

  /** The permit of a request that the server has admitted. */
  #counted(
    id: string,
    states: readonly ServerState[],
    tokens: number,
    asked = new Map<OwnedLimits, Verdict>(),
  ): SharedPermit {
    const owners = states.map(({ owned }) => owned)
    const counted = { states, followed: this.#deps.local.follow(states) }
    return this.#permit({ id, owners, counted, tokens, asked })
  }

  #permit(parts: Omit<SharedPermitParts, 'nowMs' | 'finish'>): SharedPermit {
    const permit = new SharedPermit({
      ...parts,
      nowMs: this.#deps.nowMs,
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
    void this.#send(corrections)
  }

  /** If the server does not answer, it is not known which rates it has corrected. Places can be freed twice. */
  async #send(corrections: readonly Correction[]): Promise<void> {
    const values = corrections.flatMap(({ permit, requestsMs, tokensMs }) => [
      permit,
      String(requestsMs),
      String(tokensMs),
    ])
    const keys = keysOf(corrections.map(({ owned }) => owned))
    try {
      await this.#deps.host.run(finishScript, keys, values)
    } catch (error) {
      ignoreDown(error)
      this.#keep(corrections)
    }
  }

  /** Frees the places when the server is back. */
  #keep(corrections: readonly Correction[]): void {
    for (const { owned, permit } of corrections) {
      if (this.#latePlaces.length >= latePlacesMax) return
      if (owned.values.concurrentRequests !== null) this.#latePlaces.push(placeOnly(owned, permit))
    }
  }

  /** A request without limits of its own is admitted; the attempt then decides about its credential. */
  #decideAlone(
    id: string,
    applied: readonly OwnedLimits[],
    tokens: number,
  ): Verdict | Promise<Verdict> {
    const { local, fallback, onUnshared } = this.#deps
    if (applied.length === 0) return local.admit(applied, tokens)
    onUnshared()
    if (fallback === 'refuse') return Promise.reject(unavailable())
    const verdict = local.admit(applied, tokens)
    if (verdict instanceof LimitRefusal || withPlaces(applied).length === 0) return verdict
    // The server counts the running request when it is back.
    const asked = new Map<OwnedLimits, Verdict>()
    const counted = { states: undefined, local: verdict }
    return this.#permit({ id, owners: applied, counted, tokens, asked })
  }
}

function unavailable(): LimitsUnavailable {
  return new LimitsUnavailable(
    'the server of the setting limits cannot be reached, and limitsFallback is refuse',
  )
}

/** A place that is not renewed becomes free by itself, and an estimate that is not corrected expires. */
function ignoreDown(error: unknown): void {
  if (!(error instanceof ScriptHostDown)) throw error
}
