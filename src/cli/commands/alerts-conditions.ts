import type { Command } from '../command.ts'
import { type GatewayClient, rewordRefusal } from '../gateway/gateway-client.ts'
import { pagesOf } from '../gateway/pages-of.ts'
import { noAlert } from '../not-found.ts'
import { timeText } from '../time-text.ts'
import { withId } from '../with-id.ts'
import { writeList } from '../write-list.ts'

export const alertsConditions: Command = {
  name: 'alerts conditions',
  summary: 'List the active conditions of an alert, newest first.',
  positionals: ['ID'],
  options: { json: { kind: 'switch', description: 'Print JSON.' } },
  run: (call) =>
    withId(call, async (gateway, id) => {
      await writeList(call, conditionPages(gateway, id), {
        none: 'The alert has no active conditions.',
        heading: ['REPORTED', 'KIND', 'ACCOUNT', 'TEXT'],
        cellsOf: ({ since, kind, accountId, text }) => [
          timeText(since) ?? '',
          kind,
          accountId ?? 'gateway',
          text,
        ],
        jsonOf: ({ accountId: account, since, ...row }) => ({
          ...row,
          account,
          since: timeText(since),
        }),
      }).catch(rewordRefusal({ not_found: noAlert(id) }))
      return 0
    }),
}

async function* conditionPages(gateway: GatewayClient, id: string) {
  const read = (before: string | undefined) =>
    gateway.call('GET /alerts/{id}/conditions', { id, query: { before, language: 'en' } })
  for await (const { conditions } of pagesOf(read)) yield conditions
}
