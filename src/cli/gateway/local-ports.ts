import { CommandProblem } from '../../app/command-problem.ts'
import { factsOfModel, vendorFacts } from '../../app/console/console-ports.ts'
import { statePort } from '../../app/console/state-port.ts'
import type { OpenDatabase } from '../../app/database/open-database.ts'
import { journalPath } from '../../app/node/make-journal-folder.ts'
import { mailPort, webhookTools } from '../../app/notices/open-notices.ts'
import { readCatalog } from '../../catalog/read-catalog.ts'
import type { Config } from '../../config/config.ts'
import type { GatewayPorts } from '../../console-api/ports/gateway-ports.ts'
import { asFault } from '../../core/fault.ts'
import { clientPathsOf } from '../../gateway/client-paths.ts'
import { testUpstream } from '../../gateway/operator/test-upstream.ts'
import { countLeftovers } from '../../ledger/journal/leftovers.ts'
import { replayRefused } from '../../ledger/journal/replay-refused.ts'
import { settleShapes } from '../../ledger/journal/settle-record.ts'
import { postWebhook } from '../../outbox/webhook.ts'
import { hashPassword, isPasswordOf } from '../../store/secrets/password.ts'
import { usageShapes } from '../../usage/usage-shapes.ts'
import type { CliContext } from '../command.ts'

/** The parts of a gateway that the operations need, as far as they work without a running gateway. */
export function localPorts(
  config: Config,
  { send, nowMs, random }: Pick<CliContext, 'send' | 'nowMs' | 'random'>,
  { engine, vault }: Pick<OpenDatabase, 'engine' | 'vault'>,
): GatewayPorts {
  const folder = journalPath(config)
  return {
    vendors: vendorFacts,
    clientPathsOf,
    hasDemo: false,
    forward: () => Promise.reject(needsGateway()),
    catchUp: async () => {},
    operatorToken: '',
    healthOf: () => undefined,
    tryUpstream: async (upstreamId, options) => {
      const catalog = await readCatalog(engine, vault, undefined)
      // Such as the demo, which is part of a gateway.
      if (!catalog.upstreams.has(upstreamId)) {
        throw new CommandProblem(
          `Only a running gateway can test the upstream "${upstreamId}"; name the gateway with --url, or use the console.`,
        )
      }
      const clock = { nowMs, monotonicMs: () => performance.now() }
      return testUpstream(catalog, upstreamId, options, { send, clock }).catch((error: unknown) => {
        throw new CommandProblem(asFault(error).message)
      })
    },
    upstreamModels: () => Promise.reject(needsGateway()),
    factsOfModel,
    state: statePort(engine, { vault, random, nowMs, hashPassword, isPasswordOf }),
    readProcess: () => {
      throw needsGateway()
    },
    mail: mailPort({ config }),
    postWebhook: (hook) => postWebhook({ ...webhookTools(config), send, nowMs }, hook),
    countLeftovers: () => countLeftovers(folder),
    replayRefused: async () => {
      await engine.defineShapes([...settleShapes, ...usageShapes])
      return replayRefused(engine, folder)
    },
  }
}

function needsGateway(): CommandProblem {
  return new CommandProblem('Only a running gateway can do this; name it with --url.')
}
