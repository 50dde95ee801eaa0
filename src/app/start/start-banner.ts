import { relyingPartyOf } from '../../accounts/relying-party.ts'
import type { Config } from '../../config/config.ts'
import { systemRandom } from '../../core/id.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Listener } from '../../http-in/listen.ts'
import type { StartingPoint } from '../../provision/provision-deps.ts'
import type { Engine } from '../../store/engine.ts'
import type { OpenDatabase } from '../database/open-database.ts'
import type { WorkerLink } from '../workers/worker-link.ts'
import { renderBanner } from './banner.ts'
import { baseUrlOf } from './base-url.ts'
import { noteUrl } from './last-url.ts'
import { makeSignInUrl } from './sign-in-url.ts'

/** The start banner; empty in a worker that does not print it. */
export async function startBanner(
  config: Config,
  worker: WorkerLink | undefined,
  deps: { listener: Listener; clock: Clock; start: StartingPoint } & Pick<
    OpenDatabase,
    'engine' | 'vault'
  >,
): Promise<string> {
  if (worker && !worker.role.greets) return ''
  const { engine, vault, clock, listener, start } = deps
  const baseUrl = config.publicUrl ?? baseUrlOf(listener)
  noteUrl(config, baseUrl)
  const link = { engine, vault, random: systemRandom, nowMs: clock.nowMs() }
  const rpId = relyingPartyOf(config.publicUrl, listener.port)?.id
  const place = { baseUrl, hasOpenId: config.openId !== undefined, rpId }
  const [signInUrl, sampleModel] = await Promise.all([
    makeSignInUrl(link, start.admin.id, place),
    findSampleModel(engine),
  ])
  return renderBanner({
    baseUrl,
    database: config.inForce.find(({ name }) => name === 'database')?.text ?? '',
    signInUrl,
    localKey: start.localKey,
    sampleModel,
    isDemo: start.isDemoInForce,
    notes: start.applied.warnings,
  })
}

/** A priced, routed model of the default group, for the sample command of the banner. */
async function findSampleModel(engine: Engine): Promise<string | undefined> {
  const row = await engine.db
    .selectFrom('route')
    .innerJoin('price_version', 'price_version.model_id', 'route.model_id')
    .select(['route.model_id', 'price_version.output_nano'])
    .where('route.group_id', '=', 'default')
    .orderBy('price_version.output_nano')
    .limit(1)
    .executeTakeFirst()
  return row?.model_id
}
