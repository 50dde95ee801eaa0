import { accountDefinition } from '../../accounts/definition/account.ts'
import { newWireOf, without } from '../../fields/definition.ts'
import type { Command } from '../command.ts'
import { givenOptions, readChanges, someOptions } from '../defined-options.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { noAccount } from '../not-found.ts'
import { withId } from '../with-id.ts'

const changeable = without(accountDefinition, ['id'])

export const accountsUpdate: Command = {
  name: 'accounts update',
  summary:
    'Change the settings of an account. Settings that are not given stay unchanged; "none" removes a limit.',
  example: 'acme --monthly 100 --ends none',
  positionals: ['ID'],
  options: someOptions(changeable),
  run: (call) => {
    const body = newWireOf(changeable, readChanges(changeable, 'accounts update', call))
    return withId(call, async (gateway, id) => {
      const explain = rewordRefusal({ not_found: noAccount(id) })
      await gateway.call('PATCH /operate/accounts/{id}', { id, body }).catch(explain)
      call.context.stdout(`account ${id} changed: ${givenOptions(changeable, call)}\n`)
      return 0
    })
  },
}
