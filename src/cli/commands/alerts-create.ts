import { alertDefinition } from '../../alerts/definition/alert.ts'
import { alignColumns } from '../../config/align-columns.ts'
import { newWireOf } from '../../fields/definition.ts'
import { alertRefusals } from '../alert-refusals.ts'
import type { Command } from '../command.ts'
import { definedOptions, readOptions } from '../defined-options.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { noAccount } from '../not-found.ts'

export const alertsCreate: Command = {
  name: 'alerts create',
  summary: 'Create an alert: conditions to report, and where.',
  example:
    '--name "Low credit" --channel email --email ops@example.com --kind credit_low --credit-below 10',
  positionals: [],
  options: definedOptions(alertDefinition),
  run: async (call) => {
    const settings = readOptions(alertDefinition, 'alerts create', call)
    const { accountId } = settings
    return withGateway(call, async (gateway) => {
      const { id } = await gateway
        .call('POST /alerts', {
          body: newWireOf(alertDefinition, settings),
          ifLost:
            'It is not known whether the alert was created; check with "tollgate alerts list" before you repeat the command.',
        })
        .catch(
          rewordRefusal({
            account_unknown: noAccount(accountId ?? ''),
            ...alertRefusals,
          }),
        )
      call.context.stdout(`${alignColumns([['id', id]]).join('\n')}\n`)
      return 0
    })
  },
}
