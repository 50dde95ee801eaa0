import { fillFeaturePrices } from '../catalog/fill-feature-prices.ts'
import type { Config } from '../config/config.ts'
import type { VendorFacts } from '../config/read-provision.ts'
import type { Engine } from '../store/engine.ts'
import { write } from '../store/write.ts'
import type { Applied } from './applied.ts'
import { applyProvision } from './apply-provision.ts'
import { applyDemo } from './demo.ts'
import { fillDemoMonth } from './demo-month/fill-demo-month.ts'
import { applyEnvironmentUpstreams } from './environment-upstreams.ts'
import { ensureAdmin, ensureLocalKey } from './local-account.ts'
import type { ProvisionTools } from './provision-tools.ts'

export interface StartingPoint {
  readonly applied: Applied
  /** Ids of the upstreams that credentials in the environment stand for. */
  readonly environmentUpstreams: readonly string[]
  readonly isDemoInForce: boolean
  /** The value of the key "local", to be shown to whoever started the gateway. */
  readonly localKey: string | undefined
  /** For whom a sign-in link may be made. */
  readonly admin: { readonly id: string; readonly email: string }
}

/** Everything that a start makes sure of, in the order in which one thing depends on another. */
export async function provisionAtStart(
  engine: Engine,
  tools: ProvisionTools,
  config: Config,
  vendors: ReadonlyMap<string, VendorFacts>,
): Promise<StartingPoint> {
  await write(engine, tools.nowMs(), fillFeaturePrices)
  const applied = await applyProvision(engine, tools, config.provision)
  const environmentUpstreams = await applyEnvironmentUpstreams(engine, tools, config, vendors)
  const isDemoInForce = await applyDemo(engine, tools, config.demo)
  const localKey = await ensureLocalKey(engine, tools)
  // Asked for, and not only there because nothing else is: then a month of usage comes with it.
  if (config.demo === 'on') await fillDemoMonth(engine, tools)
  const admin = await ensureAdmin(engine, tools)
  return { applied, environmentUpstreams, isDemoInForce, localKey, admin }
}
