import type { Command } from '../command.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { noAlert } from '../not-found.ts'
import { withId } from '../with-id.ts'

export const alertsDelete: Command = {
  name: 'alerts delete',
  summary: 'Delete an alert. Its waiting messages are not sent.',
  positionals: ['ID'],
  options: {},
  run: (call) =>
    withId(call, async (gateway, id) => {
      await gateway
        .call('DELETE /alerts/{id}', { id })
        .catch(rewordRefusal({ not_found: noAlert(id) }))
      call.context.stdout(`alert ${id} is deleted\n`)
      return 0
    }),
}

export const alertsTest: Command = {
  name: 'alerts test',
  summary: 'Send a test message of an alert now.',
  positionals: ['ID'],
  options: {},
  run: (call) =>
    withId(call, async (gateway, id) => {
      const { problem } = await gateway
        .call('POST /alerts/{id}/test', {
          id,
          isLong: true,
          ifLost: 'It is safe to repeat the command.',
        })
        .catch(rewordRefusal({ not_found: noAlert(id) }))
      call.context.stdout(`${problem ?? 'The test message was delivered.'}\n`)
      return problem === null ? 0 : 1
    }),
}
