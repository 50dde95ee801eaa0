import { type Console, createConsole } from '../console-api/create-console.ts'
import { readAssets } from '../console-api/read-assets.ts'
import { systemRandom } from '../core/id.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/vault.ts'
import type { Log } from '../telemetry/log.ts'
import { consolePorts, type PortParts } from './console-ports.ts'
import { openIdFrom } from './open-id.ts'

export interface ConsoleNeeds extends PortParts {
  readonly engine: Engine
  readonly vault: Vault
  readonly log: Log
  readonly consoleFolder: string
}

/** The console with its built pages, on this process. */
export function openConsole(parts: ConsoleNeeds): Console {
  const { config, engine, vault, clock, log } = parts
  return createConsole({
    engine: { ...engine, db: engine.reportDb },
    vault,
    clock,
    random: systemRandom,
    assets: readAssets(parts.consoleFolder),
    brand: config.brand,
    isSecureListen: false,
    openId: openIdFrom(config.openId),
    gateway: consolePorts(parts),
    showsUpstreamsToMembers: config.showsUpstreamsToMembers,
    onError: (error, requestId) => log.error('console_failed', { requestId, why: String(error) }),
  })
}
