import type { CatalogSnapshot } from '../catalog/catalog-snapshot.ts'
import type { ChoiceReason } from '../core/try-note.ts'
import type { HealthBook } from './health-book.ts'
import type { Candidate } from './route-set.ts'

/** Where a conversation was answered last. */
export interface ConversationTarget {
  readonly upstreamId: string
  readonly credentialId: string | undefined
}

/** The only place that will do, because it keeps what the request goes on from. */
export interface Pin {
  readonly upstreamId: string
  /** What people call the credential, of whose organisation it is; a new value under its name will do. */
  readonly credentialName: string | undefined
}

/** Knows where a conversation was answered last; asked only where there is something to choose. */
export interface ConversationLookup {
  place(nowMs: number): ConversationTarget | undefined
}

export interface PlanQuestion {
  readonly catalog: CatalogSnapshot
  readonly health: HealthBook
  readonly accountId: string
  /** The key's groups, in its order. */
  readonly groups: readonly string[]
  /** The models that the key may call; undefined means all. */
  readonly models: ReadonlySet<string> | undefined
  readonly model: string
  /** Of the calendar: prices and grants have dates. */
  readonly nowMs: number
  /** Of the clock that never goes back: health is measured by it. */
  readonly monotonicMs: number
  /** A number in [0, 1). */
  readonly random: () => number
  readonly conversation?: ConversationLookup | undefined
  readonly pin?: Pin | undefined
}

/** Who is tried, best first, and why each stands where it does. */
export interface Plan {
  readonly candidates: readonly Candidate[]
  readonly reasons: readonly ChoiceReason[]
}

/** A plan in the making. */
export interface Draft {
  readonly candidates: Candidate[]
  readonly reasons: ChoiceReason[]
}
