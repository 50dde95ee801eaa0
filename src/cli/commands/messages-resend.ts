import type { Command } from '../command.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { noMessage } from '../not-found.ts'
import { withId } from '../with-id.ts'

export const messagesResend: Command = {
  name: 'messages resend',
  summary: 'Send a failed message of an alert again.',
  example: '17',
  positionals: ['ID'],
  options: {},
  run: (call) =>
    withId(call, async (gateway, id) => {
      const made = await gateway
        .call('POST /messages/{id}/resend', {
          id,
          ifLost: 'It is safe to repeat the command: a message is sent again only once.',
        })
        .catch(rewordRefusal({ not_found: noMessage(id) }))
      call.context.stdout(`message ${id} is queued again as ${made.id}\n`)
      return 0
    }),
}
