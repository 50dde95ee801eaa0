import { tokenDefinition } from '../../admin-tokens/definition/token.ts'
import { alignColumns } from '../../config/align-columns.ts'
import { define, maybe, newWireOf } from '../../fields/definition.ts'
import { idKind } from '../../fields/kinds.ts'
import type { Command } from '../command.ts'
import { definedOptions, readOptions } from '../defined-options.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { noAccount } from '../not-found.ts'

// An account may be called "none", so that word cannot mean the whole gateway here.
const { kind: _kind, initial: _initial, ...account } = tokenDefinition.fields.accountId
const typed = define('token', { ...tokenDefinition.fields, accountId: maybe(idKind, account) })

export const tokensCreate: Command = {
  name: 'tokens create',
  summary: 'Create a token for the admin API and show its value once.',
  example: '--name ci --scope keys --scope read --account acme --expires 2027-12-31',
  positionals: [],
  options: definedOptions(typed),
  run: async (call) => {
    const settings = readOptions(typed, 'tokens create', call)
    const { accountId } = settings
    return withGateway(call, async (gateway) => {
      const { token, value } = await gateway
        .call('POST /tokens', {
          body: newWireOf(typed, settings),
          ifLost:
            'It is not known whether the token was created; check with "tollgate tokens list" and revoke the unused token before you repeat the command.',
        })
        .catch(
          rewordRefusal({
            expiry_past: '--expires must be in the future.',
            account_unknown: noAccount(accountId ?? ''),
            tokens_many: ({ max }) =>
              `There are ${max} tokens of this kind already; revoke some with "tollgate tokens revoke ID".`,
          }),
        )
      const columns = [
        ['id', token.id],
        ['value', value],
      ]
      call.context.stdout(`${alignColumns(columns).join('\n')}\n`)
      return 0
    })
  },
}
