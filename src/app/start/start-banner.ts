import type { Config } from '../../config/config.ts'
import { systemRandom } from '../../core/id.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Listener } from '../../http-in/listen.ts'
import type { StartingPoint } from '../../provision/provision-deps.ts'
import type { OpenDatabase } from '../database/open-database.ts'
import type { WorkerLink } from '../workers/worker-link.ts'
import { renderBanner } from './banner.ts'
import { baseUrlOf } from './base-url.ts'
import { noteUrl } from './last-url.ts'
import { findSampleModel } from './sample-model.ts'
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
  const [signInUrl, sampleModel] = await Promise.all([
    makeSignInUrl(link, start.admin.id, baseUrl),
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
