import type { AccountStatus } from '../../accounts/definition/account.ts'
import type { Command, CommandCall } from '../command.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { withId } from '../with-id.ts'

export const accountsSuspend: Command = {
  name: 'accounts suspend',
  summary: 'Reject all keys of an account; running gateways follow within a second.',
  positionals: ['ID'],
  options: {},
  run: (call) => switchAccount(call, 'suspended'),
}

export const accountsResume: Command = {
  name: 'accounts resume',
  summary: 'Accept the keys of a suspended account again.',
  positionals: ['ID'],
  options: {},
  run: (call) => switchAccount(call, 'active'),
}

function switchAccount(call: CommandCall, status: AccountStatus): Promise<number> {
  return withId(call, async (gateway, id) => {
    const explain = rewordRefusal({
      not_found: `There is no account "${id}"; see "tollgate accounts list".`,
    })
    const before = await gateway.call('GET /operate/accounts/{id}', { id }).catch(explain)
    const isSo = before.status === status
    if (!isSo) {
      await gateway.call('PATCH /operate/accounts/{id}', { id, body: { status } }).catch(explain)
    }
    call.context.stdout(`account ${id} ${isSo ? `was already ${status}` : `is ${status}`}\n`)
    return 0
  })
}
