import { accountDefinition } from '../../accounts/definition/account.ts'
import type { AccountRow } from '../../console-api/contract.ts'
import { formatDollars } from '../../core/money/money.ts'
import { budgetCell, budgetJson } from '../budget-text.ts'
import type { Command } from '../command.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { pagesOf } from '../gateway/pages-of.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { rowJson } from '../row-json.ts'
import { writeList } from '../write-list.ts'

export const accountsList: Command = {
  name: 'accounts list',
  summary: 'List accounts with their available credit and their budgets.',
  example: '--json',
  positionals: [],
  options: { json: { kind: 'switch', description: 'Print JSON.' } },
  run: (call) =>
    withGateway(call, async (gateway) => {
      await writeList(call, accountPages(gateway), {
        none: 'There are no accounts.',
        heading: ['ID', 'NAME', 'AVAILABLE US$', 'BUDGETS US$', 'STATE'],
        cellsOf: (row) => [row.id, row.name, availableOf(row), budgetCell(row.budgets), row.status],
        jsonOf: (row) => ({
          ...rowJson(accountDefinition, row),
          available: availableOf(row),
          budgets: row.budgets.map(budgetJson),
        }),
      })
      return 0
    }),
}

async function* accountPages(gateway: GatewayClient) {
  const read = (after: string | undefined) =>
    gateway.call('GET /operate/accounts', { query: { after } })
  for await (const { accounts } of pagesOf(read)) yield accounts
}

function availableOf({ availableNano }: AccountRow): string {
  return formatDollars(BigInt(availableNano))
}
