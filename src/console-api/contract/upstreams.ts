import { z } from 'zod'
import { routeDefinition, type routesDefinition } from '../../catalog/definition/route.ts'
import {
  credentialDefinition,
  type newUpstreamDefinition,
  upstreamDefinition,
  wholeTimeouts,
} from '../../catalog/definition/upstream.ts'
import { protocolNames } from '../../core/neutral/protocol-name.ts'
import { type EditWireOf, type NewWireOf, partOf, shownShape } from '../../fields/definition.ts'
import { list, nanoText, page, timeMs } from './shapes.ts'

export const vendorChoice = z.strictObject({
  name: z.string(),
  /** Null: the base URL is required. */
  baseUrl: z.string().nullable(),
  protocols: list(z.enum(protocolNames)),
  /**
   * Whether there is a built-in list of its models with prices: GET /operate/vendors/{name}/models → StartModelsAnswer.
   */
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

/** Health of an upstream as measured by this process. */
export const upstreamHealth = z.strictObject({
  /** `unknown` until the first response or failure. */
  state: z.enum(['healthy', 'degraded', 'down', 'unknown']),
  /** The worst state among its models. */
  breaker: breakerState,
  openUntil: timeMs.nullable(),
  /** Smoothed time to the first token. */
  firstTokenMs: z.number().nullable(),
  inFlight: z.number(),
})
export type UpstreamHealth = z.infer<typeof upstreamHealth>

/** From the newest requests of the last 24 hours, at most 50,000. Failed attempts count. */
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
  /** The vendor's default if none is set. */
  baseUrl: z.string(),
  /** The built-in upstream, which cannot be edited. */
  isDemo: z.boolean(),
  /** The base URL has changed to another host: the credentials must be entered again. */
  needsCredential: z.boolean(),
  credentialCount: z.number(),
  /** Number of routes to this upstream. */
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

/** Only members that are set; see docs/configuration.md. */
export type ShownParameterPolicy = NonNullable<UpstreamSettings['parameters']>

const { id: _, ...settingsShape } = shownShape(upstreamDefinition.fields)
export const upstreamSettings = z.strictObject(settingsShape)
export type UpstreamSettings = z.infer<typeof upstreamSettings>

/** Health of one model of an upstream as measured by this process. */
export const modelHealth = z.strictObject({
  upstreamModel: z.string(),
  breaker: breakerState,
  openUntil: timeMs.nullable(),
  failuresInRow: z.number(),
  firstTokenMs: z.number().nullable(),
})
export type ModelHealth = z.infer<typeof modelHealth>

/** Values are write-only. */
export const credentialRow = z.strictObject({
  id: z.string(),
  ...shownShape(credentialDefinition.fields),
  hint: z.string(),
  /** Entered for another host, and therefore not used. */
  isStale: z.boolean(),
  /** `rejected`: the upstream answered 401, 402 or 403; `rate-limited`: not used until `until`. */
  state: z.enum(['working', 'rate-limited', 'rejected', 'unknown']),
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
  /** The host of the outbound proxy; null without a proxy. */
  proxyHint: z.string().nullable(),
  credentials: list(credentialRow),
  routes: list(routeRow),
  models: list(modelHealth),
})
export type UpstreamDetail = z.infer<typeof upstreamDetail>

/** POST /operate/upstreams → UpstreamDetail */
export type CreateUpstreamRequest = NewWireOf<typeof newUpstreamDefinition>

/**
 * PATCH /operate/upstreams/{id} → UpstreamDetail; absent members are unchanged. DELETE → DoneAnswer, with its routes.
 */
export type UpstreamEdit = EditWireOf<typeof upstreamDefinition>

/**
 * POST /operate/upstreams/{id}/credentials → CredentialRow. PATCH /operate/credentials/{id} → CredentialRow; a new
 * value belongs to the current host. DELETE /operate/credentials/{id} → DoneAnswer
 */
export type AddCredentialRequest = NewWireOf<typeof credentialDefinition>
export type CredentialEdit = EditWireOf<typeof credentialDefinition>

/**
 * GET /operate/routes?group=&model=&upstream=&after= : sorted by group, model, priority. PUT
 * /operate/routes?group=&model= with PutRoutesRequest → RoutesAnswer: replaces the routes of this group and model. PUT
 * /operate/routes?upstream= does the same for one upstream.
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
  /** The message of the upstream or the system. */
  words: z.string().nullable(),
})
export type UpstreamProblemRow = z.infer<typeof upstreamProblemRow>

/** GET /operate/upstreams/{id}/models : the models that the upstream lists. */
export const upstreamModelsAnswer = z.strictObject({
  /** Null if the upstream does not list its models. */
  models: list(z.string()).nullable(),
  /** Why the upstream cannot be used; null if no problem is known. */
  problem: upstreamProblemRow.nullable(),
})
export type UpstreamModelsAnswer = z.infer<typeof upstreamModelsAnswer>

export const upstreamTestResult = z.strictObject({
  protocol: z.enum(protocolNames),
  /** The masked credential that was sent; null for an upstream without one. */
  credential: z.string().nullable(),
  hasPassed: z.boolean(),
  /** Null without a response. */
  status: z.number().nullable(),
  /** The text of the model. */
  text: z.string().nullable(),
  problem: upstreamProblemRow.nullable(),
  totalMs: z.number(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  /** The price for a client in the group `default`, or in the first group with a route; null without a price. */
  costNano: nanoText.nullable(),
})
export type UpstreamTestResult = z.infer<typeof upstreamTestResult>

export const upstreamTestAnswer = z.strictObject({
  model: z.string(),
  results: list(upstreamTestResult),
})
export type UpstreamTestAnswer = z.infer<typeof upstreamTestAnswer>
