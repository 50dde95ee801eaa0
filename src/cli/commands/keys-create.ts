import { alignColumns } from '../../config/align-columns.ts'
import { newWireOf } from '../../fields/definition.ts'
import { newKeyDefinition } from '../../keys/definition/key.ts'
import type { Command } from '../command.ts'
import { definedOptions, readOptions } from '../defined-options.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { noAccount } from '../not-found.ts'

export const keysCreate: Command = {
  name: 'keys create',
  summary:
    'Create an API key and show its value. The value of a personal key is shown only to its owner, in the console.',
  example: '--account acme --name laptop --quota 5 --address 10.0.0.0/8',
  positionals: [],
  options: definedOptions(newKeyDefinition),
  run: async (call) => {
    const settings = readOptions(newKeyDefinition, 'keys create', call)
    const { accountId } = settings
    return withGateway(call, async (gateway) => {
      const { key, value } = await gateway
        .call('POST /keys', {
          body: newWireOf(newKeyDefinition, settings),
          ifLost:
            'It is not known whether the key was created; check with "tollgate keys list" before you repeat the command.',
        })
        .catch(
          rewordRefusal({
            not_found: noAccount(accountId),
            group_unknown: ({ id }) =>
              `There is no group "${id}"; add it to provision.groups and apply.`,
            group_forbidden: ({ id }) =>
              `The account "${accountId}" may not use the group "${id}"; grant it the group first.`,
            owner_unknown: ({ id }) =>
              `The account "${accountId}" has no member "${id}"; add the user to the account with the role member or owner first.`,
            expiry_past: '--expires must be in the future.',
          }),
        )
      const columns = [
        ['id', key.id],
        ['value', value ?? `shown only to ${key.ownerEmail ?? 'its owner'}, in the console`],
      ]
      call.context.stdout(`${alignColumns(columns).join('\n')}\n`)
      return 0
    })
  },
}
