import { relyingPartyOf } from '../../accounts/relying-party.ts'
import { createAdminApi } from '../../console-api/admin/create-admin-api.ts'
import { createConsole, shareAmong } from '../../console-api/create-console.ts'
import { readAssets } from '../../console-api/http/read-assets.ts'
import type { ConsoleDeps } from '../../console-api/ports/console-parts.ts'
import { isAdminPath } from '../../console-api/root-paths.ts'
import { systemRandom } from '../../core/id.ts'
import type { ConsoleHandler } from '../../http-in/server.ts'
import type { Log } from '../../telemetry/log.ts'
import { openIdFrom } from '../open-id/open-id.ts'
import { consolePorts, type PortDeps } from './console-ports.ts'

export interface OpenConsoleDeps extends PortDeps {
  readonly log: Log
  readonly consoleFolder: string
  /** The port that the gateway listens on. */
  readonly port: number
  /** How many processes share the port of this one. */
  readonly workers: number
}

export interface OpenConsole {
  readonly answer: ConsoleHandler
  /** Resolves when all deferred writes are done. */
  settled(): Promise<void>
}

/** The console with its built pages, and the admin API, on this process. */
export function openConsole(deps: OpenConsoleDeps): OpenConsole {
  const { config, live, engine, vault, clock, log } = deps
  const consoleDeps: ConsoleDeps = {
    engine: { ...engine, db: engine.reportDb },
    vault,
    clock,
    random: systemRandom,
    assets: readAssets(deps.consoleFolder),
    brand: config.brand,
    publicUrl: config.publicUrl,
    isSecureListen: false,
    openId: openIdFrom(() => live.config.openId),
    relyingParty: relyingPartyOf(config.publicUrl, deps.port),
    gateway: consolePorts(deps),
    showsUpstreamsToMembers: config.showsUpstreamsToMembers,
    recording: config,
    confirmGrantsFrom: config.confirmGrantsFrom,
    workers: deps.workers,
    onError: (error, requestId) => log.error('console_failed', { requestId, why: String(error) }),
  }
  const shared = shareAmong(consoleDeps)
  const visit = createConsole(consoleDeps, shared)
  const admin = createAdminApi(consoleDeps, shared)
  return {
    answer: (request, context) => {
      const isAdmin = isAdminPath(new URL(request.url).pathname)
      return isAdmin ? admin.answer(request, context) : visit(request, context)
    },
    settled: admin.settled,
  }
}
