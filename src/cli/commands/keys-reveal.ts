import type { Command } from '../command.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { noKey } from '../not-found.ts'
import { withId } from '../with-id.ts'

export const keysReveal: Command = {
  name: 'keys reveal',
  summary: 'Show the value of a key. The audit log records this.',
  positionals: ['ID'],
  options: {},
  run: (call) =>
    withId(call, async (gateway, id) => {
      const { value } = await gateway
        .call('POST /keys/{id}/reveal', { id, ifLost: 'It is safe to repeat the command.' })
        .catch(rewordRefusal({ not_found: noKey(id) }))
      call.context.stdout(`${value}\n`)
      return 0
    }),
}
