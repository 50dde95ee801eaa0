import type { CatalogSnapshot, Credential, Route, Upstream } from '../catalog/catalog-snapshot.ts'
import { CredentialCooldown } from './credential-cooldown.ts'
import { CredentialHealth } from './credential-health.ts'
import { TargetHealth } from './target-health.ts'
import { type HealthEvents, TargetState, type UpstreamLoad } from './target-state.ts'

/** More than any catalogue has. Beyond this limit all health is forgotten and measured again. */
const statesMax = 100_000

/** The health of one upstream as this process knows it. Credentials are listed by id. */
export interface UpstreamView {
  readonly targets: readonly TargetHealth[]
  readonly inFlight: number
  readonly credentials: ReadonlyMap<
    string,
    { readonly rejectedUntilMs: number; readonly rateLimitedUntilMs: number }
  >
}

/** The health of upstreams as this process measures it. It outlives the snapshots of the catalogue. */
export class HealthRegistry {
  readonly #targets = new Map<string, TargetHealth>()
  readonly #loads = new Map<string, UpstreamLoad>()
  readonly #credentials = new Map<string, CredentialHealth>()
  readonly #cooldowns = new Map<string, CredentialCooldown>()
  readonly #events: HealthEvents
  readonly #random: () => number
  /** Incremented when health is forgotten: states from before are void. */
  edition = 0

  constructor(events: HealthEvents, random: () => number) {
    this.#events = events
    this.#random = random
  }

  /** The state that attempts on this route with this credential report to. */
  stateOf(route: Route, credential: Credential | undefined): TargetState {
    const { upstream, upstreamModel } = route
    const { concurrencyMax } = upstream
    if (this.#cooldowns.size >= statesMax) this.forget()
    const targetKey = `${upstream.id}\n${upstreamModel}`
    const credentialKey = credential ? `${upstream.id}\n${credential.id}` : upstream.id
    const states = {
      target: kept(this.#targets, targetKey, () => new TargetHealth(upstream.id, upstreamModel)),
      load: kept(this.#loads, upstream.id, () => ({ inFlight: 0, turn: 0, concurrencyMax })),
      credential: this.#credentialOf(upstream, credential, credentialKey),
      cooldown: kept(
        this.#cooldowns,
        `${targetKey}\n${credential?.id ?? ''}`,
        () => new CredentialCooldown(),
      ),
    }
    return new TargetState(states, this.#events, this.#random)
  }

  /** Applies the limits of a changed catalogue, also to requests that are waiting. */
  follow({ upstreams }: CatalogSnapshot): void {
    for (const { id, concurrencyMax } of upstreams.values()) {
      const load = this.#loads.get(id)
      if (!load || load.concurrencyMax === concurrencyMax) continue
      load.concurrencyMax = concurrencyMax
      load.queue?.offer()
    }
  }

  /** Applies the result of a probe to all targets of an upstream. */
  probed(upstreamId: string, isHealthy: boolean, nowMs: number): void {
    for (const target of this.#targets.values()) {
      if (target.upstreamId !== upstreamId) continue
      if (isHealthy) target.hint(nowMs)
      else if (target.fail(nowMs, nowMs, this.#random()))
        this.#events.breakerOpened(target, target.openUntilMs - nowMs)
    }
  }

  /** Resets all health to healthy. Running requests are not affected. */
  forget(): void {
    this.#targets.clear()
    this.#credentials.clear()
    this.#cooldowns.clear()
    this.edition += 1
  }

  /** The health of one upstream, for display. */
  viewOf(upstreamId: string): UpstreamView {
    const start = `${upstreamId}\n`
    const credentials = new Map<string, { rejectedUntilMs: number; rateLimitedUntilMs: number }>()
    for (const [key, { rejectedUntilMs, usedUpUntilMs }] of this.#credentials) {
      if (!key.startsWith(start)) continue
      const rateLimitedUntilMs = usedUpUntilMs
      credentials.set(key.slice(start.length), { rejectedUntilMs, rateLimitedUntilMs })
    }
    for (const [key, { untilMs }] of this.#cooldowns) {
      const known = key.startsWith(start) && credentials.get(key.slice(key.lastIndexOf('\n') + 1))
      if (known) known.rateLimitedUntilMs = Math.max(known.rateLimitedUntilMs, untilMs)
    }
    return {
      targets: [...this.#targets.values()].filter((target) => target.upstreamId === upstreamId),
      inFlight: this.#loads.get(upstreamId)?.inFlight ?? 0,
      credentials,
    }
  }

  openBreakers(nowMs: number): number {
    let count = 0
    for (const { openUntilMs } of this.#targets.values()) if (openUntilMs > nowMs) count += 1
    return count
  }

  /** The dead credentials that the current catalogue contains. */
  deadCredentials({ routes }: CatalogSnapshot): ReadonlySet<CredentialHealth> {
    const rejected = new Set<CredentialHealth>()
    for (const ofGroup of routes.values()) {
      for (const { upstream } of [...ofGroup.values()].flat()) {
        for (const { id, value } of upstream.credentials) {
          const health = this.#credentials.get(`${upstream.id}\n${id}`)
          if (health && health.value === value && health.rejectedUntilMs > 0) rejected.add(health)
        }
      }
    }
    return rejected
  }

  #credentialOf(
    upstream: Upstream,
    credential: Credential | undefined,
    key: string,
  ): CredentialHealth {
    const known = this.#credentials.get(key)
    const isSame = known && known.value === credential?.value
    const health = isSame
      ? known
      : new CredentialHealth(upstream.id, credential?.name, credential?.value)
    health.limitBy(credential?.limits)
    if (!isSame) this.#credentials.set(key, health)
    return health
  }
}

function kept<State>(states: Map<string, State>, key: string, make: () => State): State {
  const known = states.get(key)
  if (known !== undefined) return known
  const made = make()
  states.set(key, made)
  return made
}
