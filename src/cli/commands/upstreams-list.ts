import type { CatalogSnapshot, Upstream } from '../../catalog/catalog-snapshot.ts'
import { readCatalog } from '../../catalog/read-catalog.ts'
import { alignColumns } from '../../config/align-columns.ts'
import type { Command } from '../command.ts'
import { demoPlace } from '../doctor/list-upstreams.ts'
import { withDatabase } from '../with-database.ts'

interface UpstreamListing {
  readonly id: string
  readonly vendor: string
  readonly protocol: string
  readonly baseUrl: string
  /** By name, each with what may be seen of it. */
  readonly credentials: readonly string[]
  readonly models: number
  readonly state: 'on' | 'off' | 'needs its credential'
}

export const upstreamsList: Command = {
  name: 'upstreams list',
  summary: 'List upstreams, their credentials masked, and how many models they serve.',
  positionals: [],
  options: { json: { kind: 'switch', description: 'As JSON.' } },
  run: (call) =>
    withDatabase(call, async ({ engine, vault }) => {
      const catalog = await readCatalog(engine, vault, demoPlace)
      const upstreams = [...catalog.upstreams.values()].map((each) => describe(each, catalog))
      const text = call.isOn('json') ? JSON.stringify(upstreams, null, 2) : asTable(upstreams)
      call.world.stdout(`${text}\n`)
      return 0
    }),
}

function describe(upstream: Upstream, { routes }: CatalogSnapshot): UpstreamListing {
  const served = [...routes.values()].flatMap((byModel) =>
    [...byModel].filter(([, list]) => list.some((each) => each.upstream === upstream)),
  )
  return {
    id: upstream.id,
    vendor: upstream.vendor,
    protocol: upstream.protocol,
    baseUrl: upstream.baseUrl,
    credentials: upstream.credentials.map(({ name, hint }) => `${name} ${hint}`),
    models: new Set(served.map(([modelId]) => modelId)).size,
    state: stateOf(upstream),
  }
}

function stateOf({ isEnabled, needsCredential }: Upstream): UpstreamListing['state'] {
  if (!isEnabled) return 'off'
  return needsCredential ? 'needs its credential' : 'on'
}

function asTable(upstreams: readonly UpstreamListing[]): string {
  if (upstreams.length === 0) return 'There are no upstreams.'
  const rows = upstreams.map((each) => [
    each.id,
    each.vendor,
    each.protocol,
    each.baseUrl,
    each.credentials.join(', ') || 'none',
    String(each.models),
    each.state,
  ])
  const head = ['ID', 'VENDOR', 'PROTOCOL', 'BASE URL', 'CREDENTIALS', 'MODELS', 'STATE']
  return alignColumns([head, ...rows]).join('\n')
}
