import { fillFeaturePrices } from '../catalog/fill-feature-prices.ts'
import type { Config } from '../config/config.ts'
import type { ProvisionVendor } from '../config/read-provision.ts'
import type { Engine } from '../store/engine.ts'
import { type Writing, write } from '../store/write.ts'
import type { Applied } from './applied.ts'
import { prepareProvision } from './apply-provision.ts'
import { applyDemo } from './demo.ts'
import { fillDemoMonth } from './demo-month/fill-demo-month.ts'
import { applyEnvironmentUpstreams } from './environment-upstreams.ts'
import { ensureAdmin, ensureLocalKey } from './local-account.ts'
import type { ProvisionTools } from './provision-tools.ts'
import { findStanding, noteStanding, orderText } from './standing.ts'

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

/**
 * Everything that a start makes sure of, in the order in which one thing depends on another, in one transaction. With
 * the name of the release given, a start that would find everything as the last one left it asks only whether it is.
 */
export async function provisionAtStart(
  engine: Engine,
  tools: ProvisionTools,
  config: Config,
  vendors: ReadonlyMap<string, ProvisionVendor>,
  release?: string,
): Promise<StartingPoint> {
  const order = orderText(engine, tools, config, release)
  const standing = order === undefined ? undefined : await findStanding(engine, tools.vault, order)
  if (standing) return standing
  const apply = await prepareProvision(engine, tools, config.provision)
  const first = await write(engine, tools.nowMs(), async (writing) => {
    await fillFeaturePrices(writing)
    const applied = await apply(writing)
    const environmentUpstreams = await applyEnvironmentUpstreams(writing, tools, config, vendors)
    const isDemoInForce = await applyDemo(writing, tools, config.demo)
    const localKey = await ensureLocalKey(writing, tools)
    const point = { applied, environmentUpstreams, isDemoInForce, localKey }
    return config.demo === 'on' ? point : finish(writing, point)
  })
  if ('admin' in first) return first
  // Asked for, and not only there because nothing else is: then a month of usage comes with it.
  await fillDemoMonth(engine, tools)
  return { ...first, admin: await write(engine, tools.nowMs(), (w) => ensureAdmin(w, tools)) }

  async function finish(
    writing: Writing,
    point: Omit<StartingPoint, 'admin'>,
  ): Promise<StartingPoint> {
    const whole = { ...point, admin: await ensureAdmin(writing, tools) }
    if (order !== undefined) await noteStanding(writing, order, whole)
    return whole
  }
}
