import { alertDefinition } from '../../alerts/definition/alert.ts'
import { newWireOf, without } from '../../fields/definition.ts'
import { alertRefusals } from '../alert-refusals.ts'
import type { Command } from '../command.ts'
import { givenOptions, readChanges, someOptions } from '../defined-options.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { noAlert } from '../not-found.ts'
import { withId } from '../with-id.ts'

const changeable = without(alertDefinition, ['accountId', 'channel'])

export const alertsUpdate: Command = {
  name: 'alerts update',
  summary: 'Change the settings of an alert. Settings that are not given stay unchanged.',
  example: 'alert_01 --name night --kind upstream_down --enabled false',
  positionals: ['ID'],
  options: someOptions(changeable),
  run: (call) => {
    const body = newWireOf(changeable, readChanges(changeable, 'alerts update', call))
    return withId(call, async (gateway, id) => {
      const explain = rewordRefusal({ ...alertRefusals, not_found: noAlert(id) })
      await gateway.call('PATCH /alerts/{id}', { id, body }).catch(explain)
      call.context.stdout(`alert ${id} changed: ${givenOptions(changeable, call)}\n`)
      return 0
    })
  },
}
