import { alignColumns } from '../../config/align-columns.ts'
import type { Command } from '../command.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { noKey } from '../not-found.ts'
import { withId } from '../with-id.ts'

export const keysToService: Command = {
  name: 'keys convert',
  summary: 'Turn the key of a user who has left into a service key, and show its new value.',
  example: 'laptop',
  positionals: ['ID'],
  options: {},
  run: (call) =>
    withId(call, async (gateway, id) => {
      const { value } = await gateway
        .call('POST /keys/{id}/convert', {
          id,
          ifLost: `It is not known whether the key was converted. If "tollgate keys list" shows a service key, "tollgate keys reveal ${id}" shows its value; otherwise repeat the command.`,
        })
        .catch(
          rewordRefusal({
            not_found: noKey(id),
            key_is_service: `The key "${id}" is a service key already; "tollgate keys reveal ${id}" shows its value.`,
            owner_active: `The owner of the key "${id}" is an active member of the account; only the keys of users who have left can be converted.`,
          }),
        )
      const columns = [
        ['id', id],
        ['value', value],
      ]
      call.context.stdout(`${alignColumns(columns).join('\n')}\n`)
      return 0
    }),
}
