import type { UpstreamDetail } from '../../console-api/contract.ts'
import type { Command } from '../command.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { isRefusedAs } from '../gateway/gateway-client.ts'
import { pagesOf } from '../gateway/pages-of.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { writeList } from '../write-list.ts'

interface UpstreamListing {
  readonly id: string
  readonly vendor: string
  readonly protocol: string
  readonly baseUrl: string
  /** By name, each with a hint of its secret. */
  readonly credentials: readonly string[]
  readonly models: number
  readonly state: 'enabled' | 'disabled' | 'needs credential'
}

export const upstreamsList: Command = {
  name: 'upstreams list',
  summary: 'List upstreams with masked credentials and the number of models they serve.',
  example: '--json',
  positionals: [],
  options: { json: { kind: 'switch', description: 'Print JSON.' } },
  run: (call) =>
    withGateway(call, async (gateway) => {
      await writeList(call, upstreamPages(gateway), {
        none: 'There are no upstreams.',
        heading: ['ID', 'VENDOR', 'PROTOCOL', 'BASE URL', 'CREDENTIALS', 'MODELS', 'STATE'],
        cellsOf: (each) => [
          each.id,
          each.vendor,
          each.protocol,
          each.baseUrl,
          each.credentials.join(', ') || 'none',
          String(each.models),
          each.state,
        ],
        jsonOf: (each) => each,
      })
      return 0
    }),
}

async function* upstreamPages(gateway: GatewayClient): AsyncGenerator<UpstreamListing[]> {
  const read = (after: string | undefined) =>
    gateway.call('GET /operate/upstreams', { query: { after } })
  for await (const { upstreams } of pagesOf(read)) {
    const page: UpstreamListing[] = []
    for (const { id } of upstreams) {
      const detail = await findUpstream(gateway, id)
      if (detail) page.push(describe(detail))
    }
    yield page
  }
}

/** Undefined for an upstream that was deleted a moment ago. */
function findUpstream(gateway: GatewayClient, id: string): Promise<UpstreamDetail | undefined> {
  return gateway.call('GET /operate/upstreams/{id}', { id }).catch((error: unknown) => {
    if (isRefusedAs(error, 'not_found')) return undefined
    throw error
  })
}

function describe(upstream: UpstreamDetail): UpstreamListing {
  const { id, vendor, protocol, baseUrl, credentials, routes } = upstream
  const shown = credentials.filter((each) => each.isEnabled && !each.isStale)
  return {
    id,
    vendor,
    protocol,
    baseUrl,
    credentials: shown.map(({ name, hint }) => `${name} ${hint}`),
    models: new Set(routes.map(({ model }) => model)).size,
    state: stateOf(upstream),
  }
}

function stateOf({ isEnabled, needsCredential }: UpstreamDetail): UpstreamListing['state'] {
  if (!isEnabled) return 'disabled'
  return needsCredential ? 'needs credential' : 'enabled'
}
