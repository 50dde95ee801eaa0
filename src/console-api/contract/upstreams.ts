import type { routesDefinition } from '../../catalog/definition/route.ts'
import type {
  credentialDefinition,
  newUpstreamDefinition,
  upstreamDefinition,
} from '../../catalog/definition/upstream.ts'
import type { ProtocolName, UpstreamProtocol } from '../../core/protocol-name.ts'
import type { EditWireOf, NewWireOf } from '../../fields/definition.ts'
import type { Json, NanoText, Page, TimeMs } from './basics.ts'

/* For administrators only, like all below /operate. */

/** GET /operate/vendors */
export interface VendorsAnswer {
  readonly vendors: readonly VendorChoice[]
}

export interface VendorChoice {
  readonly name: string
  /** Null: it must be given. */
  readonly baseUrl: string | null
  readonly protocols: readonly ProtocolName[]
  /** Whether there is a list of its models with prices: GET /operate/vendors/{name}/models → StartModelsAnswer. */
  readonly hasStartModels: boolean
}

export type BreakerState = 'closed' | 'open' | 'half-open'

/** What this process has seen of an upstream. */
export interface UpstreamHealth {
  /** `unknown` when nothing was asked of it yet. */
  readonly state: 'well' | 'ill' | 'out' | 'unknown'
  /** The worst of its models'. */
  readonly breaker: BreakerState
  readonly openUntil: TimeMs | null
  /** Smoothed time to the first token. */
  readonly firstTokenMs: number | null
  readonly inFlight: number
}

/** Of the newest requests of the last 24 hours, 50,000 at most: how often it was tried, in vain included. */
export interface UpstreamSpend {
  readonly from: TimeMs
  readonly requests: number
  readonly errors: number
  readonly costNano: NanoText
  readonly firstTokenMs: number | null
}

export interface UpstreamRow {
  readonly id: string
  readonly vendor: string
  readonly protocol: UpstreamProtocol
  readonly baseUrl: string
  /** The built-in upstream, which cannot be edited. */
  readonly isDemo: boolean
  readonly isEnabled: boolean
  /** Its base address has moved to another host: its credentials must be entered again. */
  readonly needsCredential: boolean
  readonly credentialCount: number
  /** Groups with models that lead to it. */
  readonly routeCount: number
  readonly health: UpstreamHealth
  readonly spend: UpstreamSpend
}

/** GET /operate/upstreams?after= */
export interface UpstreamsAnswer extends Page {
  readonly upstreams: readonly UpstreamRow[]
}

/** Milliseconds. */
export interface UpstreamTimeouts {
  readonly connectMs: number
  readonly headersMs: number
  readonly wholeMs: number
  readonly firstTokenMs: number
  readonly reasoningMs: number
  readonly idleMs: number
  readonly totalMs: number
}

export interface UpstreamSettings {
  readonly vendor: string
  readonly protocol: UpstreamProtocol
  /** Null: the vendor's own. */
  readonly baseUrl: string | null
  readonly isEnabled: boolean
  /** At most so many requests at once in one process; null: no limit. */
  readonly concurrencyMax: number | null
  /** What is absent is as the gateway thinks best: see `defaultTimeouts` of the detail. */
  readonly timeouts: Partial<UpstreamTimeouts>
  /** PEM text of roots that are trusted besides the usual ones. */
  readonly ca: string | null
  readonly allowsPrivate: boolean
  /** Whether it bills an answer to its end although the connection was closed; null: as is known of the vendor. */
  readonly billsOnAbort: boolean | null
  readonly probe: { readonly everyMs: number; readonly model: string | null } | null
  /** What is changed in the requests of all its routes; a route's own goes over it. */
  readonly parameters: ParameterPolicy | null
}

/** GET /operate/upstreams/{id} */
export interface UpstreamDetail extends UpstreamRow {
  readonly settings: UpstreamSettings
  readonly defaultTimeouts: UpstreamTimeouts
  /** Of the outgoing proxy only the host; null when there is none. */
  readonly proxyHint: string | null
  readonly credentials: readonly CredentialRow[]
  readonly routes: readonly RouteRow[]
  readonly models: readonly ModelHealth[]
}

/** What this process has seen of one model there. */
export interface ModelHealth {
  readonly upstreamModel: string
  readonly breaker: BreakerState
  readonly openUntil: TimeMs | null
  readonly failuresInRow: number
  readonly firstTokenMs: number | null
}

/** Values go in and never come out. */
export interface CredentialRow {
  readonly id: string
  readonly name: string
  readonly hint: string
  readonly isEnabled: boolean
  /** Entered for another host than the upstream has now, and therefore not used. */
  readonly isStale: boolean
  /** `refused`: the upstream did not take it (401, 402, 403); `resting`: it asked for a pause until `until`. */
  readonly state: 'well' | 'resting' | 'refused' | 'unknown'
  readonly until: TimeMs | null
  readonly createdAt: TimeMs
}

/** POST /operate/upstreams → UpstreamDetail */
export type CreateUpstreamRequest = NewWireOf<typeof newUpstreamDefinition>

/** PATCH /operate/upstreams/{id} → UpstreamDetail; what is absent stays. DELETE → DoneAnswer, with its routes. */
export type UpstreamEdit = EditWireOf<typeof upstreamDefinition>

/**
 * POST /operate/upstreams/{id}/credentials → CredentialRow
 * PATCH /operate/credentials/{id} → CredentialRow; a new value is entered for the present host.
 * DELETE /operate/credentials/{id} → DoneAnswer
 */
export type AddCredentialRequest = NewWireOf<typeof credentialDefinition>
export type CredentialEdit = EditWireOf<typeof credentialDefinition>

/** See docs/configuration.md; only members that are set. */
export interface ParameterPolicy {
  readonly rename?: { readonly [name: string]: string }
  readonly drop?: readonly string[]
  /** The least and the most; null leaves that side open. */
  readonly clamp?: { readonly [name: string]: readonly [number | null, number | null] }
  readonly default?: { readonly [name: string]: Json }
  readonly outputLimit?: 'max_tokens' | 'max_completion_tokens'
  readonly headers?: { readonly [name: string]: string }
}

export interface RouteRow {
  readonly group: string
  readonly model: string
  readonly upstream: string
  /** The upstream's own name of the model. */
  readonly upstreamModel: string
  /** Lower is tried first. */
  readonly priority: number
  readonly weight: number
  readonly parameters: ParameterPolicy | null
}

/**
 * GET /operate/routes?group=&model=&upstream=&after= : in order of group, model, priority.
 * PUT /operate/routes?group=&model= with PutRoutesRequest → RoutesAnswer: makes the routes of this group and model
 * exactly these. PUT /operate/routes?upstream= does the same for one upstream.
 */
export interface RoutesAnswer extends Page {
  readonly routes: readonly RouteRow[]
}

export type PutRoutesRequest = NewWireOf<typeof routesDefinition>

/** GET /operate/upstreams/{id}/models : asks the upstream itself. */
export interface UpstreamModelsAnswer {
  /** Null when it does not tell. */
  readonly models: readonly string[] | null
  /** Why it cannot be used as it is; null when it can, as far as is known. */
  readonly problem: UpstreamProblemRow | null
}

export interface UpstreamProblemRow {
  /** One of `upstreamProblems`. */
  readonly code: string
  /** What the upstream, or the system, has said itself. */
  readonly words: string | null
}

/** POST /operate/upstreams/{id}/test → UpstreamTestAnswer: one small request for each credential and protocol, charged to nobody. */
export interface UpstreamTestRequest {
  /** The upstream's own name of the model; absent: of its first route. */
  readonly model?: string
  /** Absent: in every protocol that the upstream takes. */
  readonly protocol?: ProtocolName
}

export interface UpstreamTestAnswer {
  readonly model: string
  readonly results: readonly UpstreamTestResult[]
}

export interface UpstreamTestResult {
  readonly protocol: ProtocolName
  /** What may be seen of the credential that was shown; null for an upstream that asks for none. */
  readonly credential: string | null
  readonly isWell: boolean
  /** Null when there was no answer. */
  readonly status: number | null
  /** What the model said. */
  readonly text: string | null
  readonly problem: UpstreamProblemRow | null
  readonly totalMs: number
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** What a caller would have paid in the group `default` or the first that leads there; null without a price. */
  readonly costNano: NanoText | null
}
