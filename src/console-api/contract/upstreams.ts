import { z } from 'zod'
import { routeDefinition, type routesDefinition } from '../../catalog/definition/route.ts'
import {
  credentialDefinition,
  type newUpstreamDefinition,
  upstreamDefinition,
  wholeTimeouts,
} from '../../catalog/definition/upstream.ts'
import { protocolNames } from '../../core/protocol-name.ts'
import { type EditWireOf, type NewWireOf, partOf, shownShape } from '../../fields/definition.ts'
import { list, nanoText, page, timeMs } from './shapes.ts'

export const vendorChoice = z.strictObject({
  name: z.string(),
  /** Null: it must be given. */
  baseUrl: z.string().nullable(),
  protocols: list(z.enum(protocolNames)),
  /** Whether there is a list of its models with prices: GET /operate/vendors/{name}/models → StartModelsAnswer. */
  hasStartModels: z.boolean(),
})
export type VendorChoice = z.infer<typeof vendorChoice>

/** GET /operate/vendors */
export const vendorsAnswer = z.strictObject({
  vendors: list(vendorChoice),
})
export type VendorsAnswer = z.infer<typeof vendorsAnswer>

export const breakerState = z.enum(['closed', 'open', 'half-open'])
export type BreakerState = z.infer<typeof breakerState>

/** What this process has seen of an upstream. */
export const upstreamHealth = z.strictObject({
  /** `unknown` when nothing was asked of it yet. */
  state: z.enum(['well', 'ill', 'out', 'unknown']),
  /** The worst of its models'. */
  breaker: breakerState,
  openUntil: timeMs.nullable(),
  /** Smoothed time to the first token. */
  firstTokenMs: z.number().nullable(),
  inFlight: z.number(),
})
export type UpstreamHealth = z.infer<typeof upstreamHealth>

/** Of the newest requests of the last 24 hours, 50,000 at most: how often it was tried, in vain included. */
export const upstreamSpend = z.strictObject({
  from: timeMs,
  requests: z.number(),
  errors: z.number(),
  costNano: nanoText,
  firstTokenMs: z.number().nullable(),
})
export type UpstreamSpend = z.infer<typeof upstreamSpend>

export const upstreamRow = z.strictObject({
  ...shownShape(partOf(upstreamDefinition, ['id', 'vendor', 'protocol', 'isEnabled']).fields),
  /** The vendor's own, where the settings say none. */
  baseUrl: z.string(),
  /** The built-in upstream, which cannot be edited. */
  isDemo: z.boolean(),
  /** Its base address has moved to another host: its credentials must be entered again. */
  needsCredential: z.boolean(),
  credentialCount: z.number(),
  /** Groups with models that lead to it. */
  routeCount: z.number(),
  health: upstreamHealth,
  spend: upstreamSpend,
})
export type UpstreamRow = z.infer<typeof upstreamRow>

/** GET /operate/upstreams?after= */
export const upstreamsAnswer = z.strictObject({
  ...page.shape,
  upstreams: list(upstreamRow),
})
export type UpstreamsAnswer = z.infer<typeof upstreamsAnswer>

/** Milliseconds. */
export const upstreamTimeouts = z.strictObject(shownShape(wholeTimeouts))
export type ShownTimeouts = z.infer<typeof upstreamTimeouts>

/** See docs/configuration.md; only members that are set. */
export type ShownParameterPolicy = NonNullable<UpstreamSettings['parameters']>

const { id: _, ...settingsShape } = shownShape(upstreamDefinition.fields)
export const upstreamSettings = z.strictObject(settingsShape)
export type UpstreamSettings = z.infer<typeof upstreamSettings>

/** What this process has seen of one model there. */
export const modelHealth = z.strictObject({
  upstreamModel: z.string(),
  breaker: breakerState,
  openUntil: timeMs.nullable(),
  failuresInRow: z.number(),
  firstTokenMs: z.number().nullable(),
})
export type ModelHealth = z.infer<typeof modelHealth>

/** Values go in and never come out. */
export const credentialRow = z.strictObject({
  id: z.string(),
  ...shownShape(credentialDefinition.fields),
  hint: z.string(),
  /** Entered for another host than the upstream has now, and therefore not used. */
  isStale: z.boolean(),
  /** `refused`: the upstream did not take it (401, 402, 403); `resting`: it asked for a pause until `until`. */
  state: z.enum(['well', 'resting', 'refused', 'unknown']),
  until: timeMs.nullable(),
  createdAt: timeMs,
})
export type CredentialRow = z.infer<typeof credentialRow>

export const routeRow = z.strictObject(shownShape(routeDefinition.fields))
export type RouteRow = z.infer<typeof routeRow>

/** GET /operate/upstreams/{id} */
export const upstreamDetail = z.strictObject({
  ...upstreamRow.shape,
  settings: upstreamSettings,
  defaultTimeouts: upstreamTimeouts,
  /** Of the outgoing proxy only the host; null when there is none. */
  proxyHint: z.string().nullable(),
  credentials: list(credentialRow),
  routes: list(routeRow),
  models: list(modelHealth),
})
export type UpstreamDetail = z.infer<typeof upstreamDetail>

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

/**
 * GET /operate/routes?group=&model=&upstream=&after= : in order of group, model, priority.
 * PUT /operate/routes?group=&model= with PutRoutesRequest → RoutesAnswer: makes the routes of this group and model
 * exactly these. PUT /operate/routes?upstream= does the same for one upstream.
 */
export const routesAnswer = z.strictObject({
  ...page.shape,
  routes: list(routeRow),
})
export type RoutesAnswer = z.infer<typeof routesAnswer>

export type PutRoutesRequest = NewWireOf<typeof routesDefinition>

export const upstreamProblemRow = z.strictObject({
  /** One of `upstreamProblems`. */
  code: z.string(),
  /** One sentence in English. */
  text: z.string(),
  /** What the upstream, or the system, has said itself. */
  words: z.string().nullable(),
})
export type UpstreamProblemRow = z.infer<typeof upstreamProblemRow>

/** GET /operate/upstreams/{id}/models : asks the upstream itself. */
export const upstreamModelsAnswer = z.strictObject({
  /** Null when it does not tell. */
  models: list(z.string()).nullable(),
  /** Why it cannot be used as it is; null when it can, as far as is known. */
  problem: upstreamProblemRow.nullable(),
})
export type UpstreamModelsAnswer = z.infer<typeof upstreamModelsAnswer>

export const upstreamTestResult = z.strictObject({
  protocol: z.enum(protocolNames),
  /** What may be seen of the credential that was shown; null for an upstream that asks for none. */
  credential: z.string().nullable(),
  isWell: z.boolean(),
  /** Null when there was no answer. */
  status: z.number().nullable(),
  /** What the model said. */
  text: z.string().nullable(),
  problem: upstreamProblemRow.nullable(),
  totalMs: z.number(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  /** What a caller would have paid in the group `default` or the first that leads there; null without a price. */
  costNano: nanoText.nullable(),
})
export type UpstreamTestResult = z.infer<typeof upstreamTestResult>

export const upstreamTestAnswer = z.strictObject({
  model: z.string(),
  results: list(upstreamTestResult),
})
export type UpstreamTestAnswer = z.infer<typeof upstreamTestAnswer>
