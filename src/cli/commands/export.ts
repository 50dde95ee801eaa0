import type { Command } from '../command.ts'
import { withGateway } from '../gateway/with-gateway.ts'

export const exportState: Command = {
  name: 'export',
  summary: 'Print the whole state as a config file for "tollgate apply"; secrets are left out.',
  example: '> state.yaml',
  positionals: [],
  options: { json: { kind: 'switch', description: 'Print JSON for the admin API.' } },
  run: (call) =>
    withGateway(call, async (gateway) => {
      const format = call.isOn('json') ? 'json' : 'yaml'
      const text = await gateway.text('GET /operate/provision', { query: { format }, isLong: true })
      call.context.stdout(text)
      return 0
    }),
}
