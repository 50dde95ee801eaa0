import { alertDefinition } from '../../alerts/definition/alert.ts'
import type { Command } from '../command.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { pagesOf } from '../gateway/pages-of.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { rowJson } from '../row-json.ts'
import { writeList } from '../write-list.ts'

export const alertsList: Command = {
  name: 'alerts list',
  summary: 'List alerts.',
  example: '--json',
  positionals: [],
  options: { json: { kind: 'switch', description: 'Print JSON.' } },
  run: (call) =>
    withGateway(call, async (gateway) => {
      await writeList(call, alertPages(gateway), {
        none: 'There are no alerts.',
        heading: ['ID', 'NAME', 'ACCOUNT', 'CHANNEL', 'TO', 'KINDS', 'STATE', 'ACTIVE'],
        cellsOf: (row) => [
          row.id,
          row.name,
          row.accountId ?? 'gateway',
          row.channel,
          row.urlHost ?? row.emails.join(','),
          row.kinds.join(','),
          row.isEnabled ? 'enabled' : 'disabled',
          String(row.crossings),
        ],
        jsonOf: (row) => ({
          id: row.id,
          ...rowJson(alertDefinition, row),
          host: row.urlHost,
          crossings: row.crossings,
          created: new Date(row.createdAt).toISOString(),
        }),
      })
      return 0
    }),
}

async function* alertPages(gateway: GatewayClient) {
  const read = (after: string | undefined) => gateway.call('GET /alerts', { query: { after } })
  for await (const { alerts } of pagesOf(read)) yield alerts
}
