import type { Config } from '../../config/config.ts'
import type { GatewayPorts, ModelFacts } from '../../console-api/ports/gateway-ports.ts'
import { formatAddressRange } from '../../core/access/address-range.ts'
import { systemRandom } from '../../core/id.ts'
import type { Clock } from '../../core/time/clock.ts'
import { clientPathsOf } from '../../gateway/client-paths.ts'
import type { Respond } from '../../http-in/server.ts'
import { countLeftovers } from '../../ledger/journal/leftovers.ts'
import { replayRefused } from '../../ledger/journal/replay-refused.ts'
import { postWebhook } from '../../outbox/webhook.ts'
import type { ProvisionDeps } from '../../provision/provision-deps.ts'
import { type Engine, forBackgroundWork } from '../../store/engine.ts'
import { hashPassword, isPasswordOf } from '../../store/secrets/password.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import { vendors } from '../../vendors/index.ts'
import type { Node } from '../node/open-node.ts'
import { mailPort, webhookTools } from '../notices/open-notices.ts'
import type { LiveConfig } from '../secrets/adopt-secret.ts'
import { readHealth } from '../upstreams/read-health.ts'
import { statePort } from './state-port.ts'

export interface PortDeps {
  readonly config: Config
  readonly live: LiveConfig
  readonly node: Node
  readonly replica: string
  readonly version: string
  readonly startedAtMs: number
  readonly hasDemo: boolean
  readonly journalFolder: string
  readonly forward: Respond
  readonly clock: Clock
  readonly engine: Engine
  readonly vault: Vault
}

export const vendorFacts: GatewayPorts['vendors'] = [...vendors.values()].map(
  ({ name, baseUrl, protocols }) => ({ name, baseUrl, protocols }),
)

/** The operations of this process that the console may call. */
export function consolePorts(deps: PortDeps): GatewayPorts {
  const { config, node } = deps
  return {
    vendors: vendorFacts,
    clientPathsOf,
    hasDemo: deps.hasDemo,
    forward: deps.forward,
    // If the changes cannot be read now, the next poll reads them: the change itself has not failed.
    catchUp: () => node.follower.catchUp().catch(() => undefined),
    operatorToken: node.operatorToken,
    healthOf: (upstreamId) =>
      readHealth(
        node.routing.health.viewOf(upstreamId),
        deps.clock,
        node.upstreams.lastTest(upstreamId),
      ),
    // The test must use the change that the console has just made.
    tryUpstream: async (upstreamId, options) => {
      await node.follower.catchUp()
      return node.upstreams.test(upstreamId, options)
    },
    upstreamModels: async (upstreamId) => {
      await node.follower.catchUp()
      return node.upstreams.listModels(upstreamId)
    },
    factsOfModel,
    countLeftovers: () => countLeftovers(deps.journalFolder),
    replayRefused: () => replayRefused(forBackgroundWork(deps.engine), deps.journalFolder),
    state: statePort({ ...deps.engine, db: deps.engine.reportDb }, toolsOf(deps)),
    mail: mailPort(deps.live),
    postWebhook: (hook) => postWebhook({ ...webhookTools(config), nowMs: deps.clock.nowMs }, hook),
    readProcess: () => ({
      replica: deps.replica,
      version: deps.version,
      runtime: `Bun ${process.versions['bun'] ?? ''}`.trim(),
      startedAtMs: deps.startedAtMs,
      memoryBytes: process.memoryUsage.rss(),
      unshipped: node.ledger.unshipped,
      openHolds: node.ledger.openHolds,
      ...node.ledger.status(),
      ...countLeftovers(deps.journalFolder),
      notAdmitting: node.ledger.trouble,
      trustedProxies: config.trustedProxies.map(formatAddressRange),
      settings: config.inForce.map(({ name, text, source }) => ({ name, text, from: source })),
    }),
  }
}

function toolsOf({ vault, clock }: PortDeps): ProvisionDeps {
  return { vault, random: systemRandom, nowMs: clock.nowMs, hashPassword, isPasswordOf }
}

/** The combined capabilities of the vendors on a model's routes. */
export function factsOfModel(routes: Parameters<GatewayPorts['factsOfModel']>[0]): ModelFacts {
  const native = new Set<string>()
  const capabilities = new Set<string>()
  for (const route of routes) {
    const vendor = vendors.get(route.vendor)
    if (!vendor) continue
    const spoken = route.protocol === 'any' ? vendor.native : [route.protocol]
    for (const protocol of spoken) native.add(protocol)
    const traits = vendor.traits(route.model, route.baseUrl)
    capabilities.add('streaming').add('tools')
    if (traits.structuredOutput !== 'none') capabilities.add('structured-output')
    if (traits.thinking !== 'none') capabilities.add('reasoning')
    if (traits.takesSampling !== false) capabilities.add('sampling')
  }
  return { nativeProtocols: [...native], capabilities: [...capabilities] }
}
