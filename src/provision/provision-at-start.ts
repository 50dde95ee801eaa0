import { fillFeaturePrices } from '../catalog/fill-feature-prices.ts'
import type { Config } from '../config/config.ts'
import type { ProvisionVendor } from '../config/read-provision.ts'
import { applyDemo } from '../demo/apply-demo.ts'
import { type Writing, write } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import { prepareProvision } from './apply-provision.ts'
import { applyEnvironmentUpstreams } from './environment-upstreams.ts'
import { findLastStart, hashInput, recordLastStart } from './last-start.ts'
import { ensureAdmin, ensureLocalKey } from './local-account.ts'
import type { ProvisionDeps, StartingPoint } from './provision-deps.ts'

/**
 * Does the provisioning of a start in one transaction, in the order of the dependencies. If the release is given and
 * nothing has changed since the last start, a single query confirms this and replaces the work; see last-start.ts.
 */
export async function provisionAtStart(
  engine: Engine,
  deps: ProvisionDeps,
  config: Config,
  vendors: ReadonlyMap<string, ProvisionVendor>,
  release?: string,
): Promise<StartingPoint> {
  const inputHash = hashInput(engine, deps, config, release)
  const lastStart =
    inputHash === undefined ? undefined : await findLastStart(engine, deps.vault, inputHash)
  if (lastStart) return lastStart
  // A start can ask nobody, and a gateway that does not start would be worse than a large credit, or than a key that
  // an owner of one account has changed.
  const options = { grants: 'confirmed', conflicts: 'warn' } as const
  const apply = await prepareProvision(engine, deps, config.provision, options)
  const first = await write(engine, deps.nowMs(), async (writing) => {
    await fillFeaturePrices(writing)
    const applied = await apply(writing)
    const environmentUpstreams = await applyEnvironmentUpstreams(writing, deps, config, vendors)
    const isDemoInForce = await applyDemo(writing, deps, config.demo)
    const localKey = await ensureLocalKey(writing, deps)
    const point = { applied, environmentUpstreams, isDemoInForce, localKey }
    return config.demo === 'on' ? point : finish(writing, point)
  })
  if ('admin' in first) return first
  // An explicit demo, unlike one that is active only because no other upstream exists, gets a month of usage.
  const { fillDemoMonth } = await import('../demo/month/fill-demo-month.ts')
  await fillDemoMonth(engine, deps)
  return { ...first, admin: await write(engine, deps.nowMs(), (w) => ensureAdmin(w, deps)) }

  async function finish(
    writing: Writing,
    point: Omit<StartingPoint, 'admin'>,
  ): Promise<StartingPoint> {
    const whole = { ...point, admin: await ensureAdmin(writing, deps) }
    if (inputHash !== undefined) await recordLastStart(writing, inputHash, whole)
    return whole
  }
}
