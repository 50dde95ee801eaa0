import type {
  CatalogSnapshot,
  Credential,
  Group,
  Model,
  Route,
  Upstream,
} from '../../../src/catalog/catalog-snapshot.ts'
import { timeoutsByDefault } from '../../../src/core/upstreams/upstream-timeouts.ts'

const price = {
  inputNano: 1n,
  cacheReadNano: 1n,
  cacheWrite5mNano: 1n,
  cacheWrite1hNano: 1n,
  outputNano: 1n,
  requestNano: 0n,
}

export interface RouteWords {
  readonly group?: string
  readonly model?: string
  readonly upstream: string
  readonly priority?: number
  readonly weight?: number
  /** The names of the upstream's credentials. */
  readonly credentials?: readonly string[]
  readonly own?: Partial<Upstream>
}

export interface CatalogWords {
  readonly routes: readonly RouteWords[]
  /** Settings of groups that have more than a name. */
  readonly groups?: Readonly<Record<string, Partial<Group>>>
  /** The start of each model's prices; other models have a price from the beginning. */
  readonly prices?: Readonly<Record<string, readonly number[]>>
  /** Groups that routes name and that were deleted. */
  readonly goneGroups?: readonly string[]
}

function buildRoute(words: RouteWords): Route {
  const { group = 'g', model = 'm', upstream, priority = 0, weight = 1 } = words
  return {
    groupId: group,
    modelId: model,
    upstream: {
      id: upstream,
      vendor: 'openai-compatible',
      protocol: 'chat-completions',
      baseUrl: `http://${upstream}.invalid`,
      credentials: (words.credentials ?? ['only']).map((name) => buildCredential(upstream, name)),
      needsCredential: false,
      timeouts: timeoutsByDefault,
      concurrencyMax: undefined,
      connection: { proxy: undefined, ca: undefined, allowsPrivate: false },
      probe: undefined,
      isEnabled: true,
      ...words.own,
    },
    upstreamModel: model,
    priority,
    weight,
    parameters: undefined,
  }
}

function buildCredential(upstream: string, name: string, value = 'secret'): Credential {
  return { id: `${upstream} ${name}`, name, value: `${value} of ${name}`, hint: `…${name}` }
}

export function buildCatalog(words: CatalogWords): CatalogSnapshot {
  const routes = words.routes.map(buildRoute)
  const groupIds = new Set([
    ...routes.map(({ groupId }) => groupId),
    ...Object.keys(words.groups ?? {}),
  ])
  for (const gone of words.goneGroups ?? []) groupIds.delete(gone)
  const modelIds = new Set(routes.map(({ modelId }) => modelId))
  return {
    groups: new Map([...groupIds].map((id) => [id, buildGroup(id, words.groups?.[id])])),
    models: new Map([...modelIds].map((id) => [id, buildModel(id, words.prices?.[id] ?? [0])])),
    upstreams: new Map(routes.map(({ upstream }) => [upstream.id, upstream])),
    routes: new Map(
      [...Map.groupBy(routes, ({ groupId }) => groupId)].map(([groupId, ofGroup]) => [
        groupId,
        Map.groupBy(ofGroup, ({ modelId }) => modelId),
      ]),
    ),
  }
}

function buildGroup(id: string, own: Partial<Group> = {}): Group {
  return {
    id,
    factorMicro: 1_000_000n,
    isStrict: false,
    grants: undefined,
    fallbacks: new Map(),
    ...own,
  }
}

function buildModel(id: string, validFrom: readonly number[]): Model {
  return {
    id,
    displayName: id,
    ownedBy: 'me',
    contextTokens: undefined,
    maxOutputTokens: 10,
    createdAtMs: 0,
    prices: validFrom.map((at) => ({ ...price, versionId: `${id} from ${at}`, validFromMs: at })),
  }
}
