import { idKind } from '../../fields/kinds.ts'
import type { Command } from '../command.ts'
import { saying } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { noKey } from '../not-there.ts'
import { readTyped } from '../read-typed.ts'

export const keysReveal: Command = {
  name: 'keys reveal',
  summary: 'Show the value of a key. The audit log records this.',
  positionals: ['ID'],
  options: {},
  run: async (call) => {
    const [typed = ''] = call.positionals
    const id = readTyped('The id', idKind, typed)
    return withGateway(call, async (gateway) => {
      const { value } = await gateway
        .call('POST /keys/{id}/reveal', { id, ifLost: 'It is safe to repeat the command.' })
        .catch(saying({ not_found: noKey(id) }))
      call.world.stdout(`${value}\n`)
      return 0
    })
  },
}
