import { ConfigProblem } from '../../config/config-problem.ts'
import type { StatePort } from '../../console-api/ports/gateway-ports.ts'
import { documentText } from '../../provision/document-text.ts'
import { exportProvision } from '../../provision/export-provision.ts'
import type { ProvisionDeps } from '../../provision/provision-deps.ts'
import { StateChanging } from '../../provision/read-state.ts'
import { applySent, readSentProvision } from '../../provision/sent-provision.ts'
import { UnconfirmedCredit } from '../../provision/unconfirmed-credit.ts'
import type { Engine } from '../../store/engine.ts'
import { vendors } from '../../vendors/index.ts'

/** Exports and applies the whole state in the format of the config file. */
export function statePort(engine: Engine, tools: ProvisionDeps): StatePort {
  return {
    exportText: async (format) => {
      try {
        return await documentText(await exportProvision(engine, tools.nowMs()), format)
      } catch (error) {
        if (error instanceof StateChanging) return undefined
        throw error
      }
    },
    apply: async (document, options) => {
      try {
        const provision = await readSentProvision(document, vendors)
        return await applySent(engine, tools, provision, options)
      } catch (error) {
        if (error instanceof UnconfirmedCredit)
          return { unconfirmedNano: error.amountNano, place: error.place }
        if (error instanceof ConfigProblem) return { wrong: error.message, place: error.place }
        throw error
      }
    },
  }
}
