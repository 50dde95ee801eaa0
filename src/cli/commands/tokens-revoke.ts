import type { Command } from '../command.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { withId } from '../with-id.ts'

export const tokensRevoke: Command = {
  name: 'tokens revoke',
  summary: 'Revoke an admin API token and all tokens created with it.',
  positionals: ['ID'],
  options: {},
  run: (call) =>
    withId(call, async (gateway, id) => {
      const { revoked } = await gateway
        .call('DELETE /tokens/{id}', { id })
        .catch(
          rewordRefusal({ not_found: `There is no token "${id}"; see "tollgate tokens list".` }),
        )
      const others = revoked.filter((each) => each !== id)
      const word = revoked.includes(id) ? 'is revoked' : 'was already revoked'
      const also = others.length === 0 ? '' : `, and with it ${others.join(', ')}`
      call.context.stdout(`token ${id} ${word}${also}\n`)
      return 0
    }),
}
