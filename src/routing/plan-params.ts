import type { CatalogSnapshot } from '../catalog/catalog-snapshot.ts'
import type { ChoiceReason } from '../core/upstreams/attempt-note.ts'
import type { HealthRegistry } from './health-registry.ts'
import type { Candidate } from './route-set.ts'

/** The upstream and credential that answered a conversation last. */
export interface ConversationTarget {
  readonly upstreamId: string
  readonly credentialId: string | undefined
}

/** The only upstream and credential that can serve a request, because they store the response that it continues. */
export interface Pin {
  readonly upstreamId: string
  /** The name of the credential, which stands for its organisation. A new value under the same name is accepted. */
  readonly credentialName: string | undefined
  /** The model that made the response: it may be a fallback model, which then continues the response. */
  readonly model?: string
}

/** Finds where a conversation was answered last by a model. Used only when there is a choice. */
export interface ConversationLookup {
  place(model: string, nowMs: number): ConversationTarget | undefined
}

export interface PlanParams {
  readonly catalog: CatalogSnapshot
  readonly health: HealthRegistry
  readonly accountId: string
  /** The key's groups, in its order. */
  readonly groups: readonly string[]
  /** The models that the key may call; undefined means all. */
  readonly models: ReadonlySet<string> | undefined
  readonly model: string
  /** Wall-clock time: prices and grants have dates. */
  readonly nowMs: number
  /** Monotonic time, by which health is measured. */
  readonly monotonicMs: number
  /** A number in [0, 1). */
  readonly random: () => number
  readonly conversation?: ConversationLookup | undefined
  readonly pin?: Pin | undefined
  /** Set when the credit does not cover the fallback models. */
  readonly withoutFallbacks?: boolean
  /** Whether the plan may have upstreams that are full: the request waits for a slot, or needs none. */
  readonly mayWait?: boolean
}

/** The candidates in the order of attempts, with the reason for each position. */
export interface Plan {
  readonly candidates: readonly Candidate[]
  readonly reasons: readonly ChoiceReason[]
}

/** A plan that is being built. */
export interface Draft {
  readonly candidates: Candidate[]
  readonly reasons: ChoiceReason[]
}
