import type { Command } from '../command.ts'
import { withGateway } from '../gateway/with-gateway.ts'

export const exportState: Command = {
  name: 'export',
  summary: 'Print all that there is as a config file that apply takes; secrets are left out.',
  positionals: [],
  options: { json: { kind: 'switch', description: 'As JSON, as the admin API takes it.' } },
  run: (call) =>
    withGateway(call, async (gateway) => {
      const format = call.isOn('json') ? 'json' : 'yaml'
      const text = await gateway.text('GET /operate/provision', { query: { format }, isLong: true })
      call.world.stdout(text)
      return 0
    }),
}
