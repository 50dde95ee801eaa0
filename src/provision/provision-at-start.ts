import { fillFeaturePrices } from '../catalog/fill-feature-prices.ts'
import type { Config } from '../config/config.ts'
import type { ProvisionVendor } from '../config/read-provision.ts'
import { applyDemo } from '../demo/apply-demo.ts'
import type { Engine } from '../store/engine.ts'
import { type Writing, write } from '../store/write.ts'
import { prepareProvision } from './apply-provision.ts'
import { applyEnvironmentUpstreams } from './environment-upstreams.ts'
import { ensureAdmin, ensureLocalKey } from './local-account.ts'
import type { ProvisionTools, StartingPoint } from './provision-tools.ts'
import { findStanding, noteStanding, orderText } from './standing.ts'

/**
 * Does the provisioning of a start in one transaction, in the order of the dependencies. If the release is given and
 * nothing has changed since the last start, a single query confirms this and replaces the work; see standing.ts.
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
  // An explicit demo, unlike one that is active only because no other upstream exists, gets a month of usage.
  const { fillDemoMonth } = await import('../demo/month/fill-demo-month.ts')
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
