import type { KeyRow } from '../../console-api/contract.ts'
import { formatDollars, largerOf } from '../../core/money/money.ts'
import { without } from '../../fields/definition.ts'
import { accountsKind } from '../../fields/kinds.ts'
import { keyDefinition } from '../../keys/definition/key.ts'
import { budgetCell, budgetJson } from '../budget-text.ts'
import type { Command } from '../command.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { ofEachAccount } from '../gateway/of-each-account.ts'
import { pagesOf } from '../gateway/pages-of.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { limitCell } from '../limit-text.ts'
import { readTyped } from '../read-typed.ts'
import { rowJson } from '../row-json.ts'
import { timeText } from '../time-text.ts'
import { writeList } from '../write-list.ts'

export const keysList: Command = {
  name: 'keys list',
  summary: 'List keys, without their values.',
  example: '--account acme',
  positionals: [],
  options: {
    account: { kind: 'list', placeholder: 'ID', description: 'Only keys of this account.' },
    json: { kind: 'switch', description: 'Print JSON.' },
  },
  run: async (call) => {
    const typed = call.list('account')
    const accounts = typed && readTyped('--account', accountsKind, [...new Set(typed)])
    const nowMs = call.context.nowMs()
    return withGateway(call, async (gateway) => {
      await writeList(
        call,
        ofEachAccount(accounts, (account) => keyPages(gateway, account)),
        { none: 'There are no keys.', heading, cellsOf: (key) => cellsOf(key, nowMs), jsonOf },
      )
      return 0
    })
  },
}

async function* keyPages(gateway: GatewayClient, account: string | undefined) {
  const read = (after: string | undefined) =>
    gateway.call('GET /keys', { query: { account, after, sort: 'id', order: 'asc' } })
  for await (const { keys } of pagesOf(read)) yield keys
}

function jsonOf(key: KeyRow) {
  return {
    id: key.id,
    hint: key.hint,
    accountId: key.accountId,
    owner: key.ownerEmail ?? key.ownerId,
    ...rowJson(without(keyDefinition, ['accountId', 'ownerId']), key),
    spent: formatDollars(BigInt(key.spentNano)),
    budgets: key.budgets.map(budgetJson),
    created: timeText(key.createdAt),
  }
}

const heading = [
  'ID',
  'ACCOUNT',
  'OWNER',
  'NAME',
  'VALUE',
  'GROUPS',
  'MODELS',
  'QUOTA US$',
  'SPENT US$',
  'BUDGETS US$',
  'RATE LIMITS',
  'STATE',
]

function cellsOf(key: KeyRow, nowMs: number) {
  return [
    key.id,
    key.accountId,
    key.ownerEmail ?? key.ownerId ?? 'service',
    key.name,
    key.hint,
    key.groups.join(','),
    key.models === null ? 'all' : key.models.join(',') || 'none',
    quotaCell(key),
    formatDollars(BigInt(key.spentNano)),
    budgetCell(key.budgets),
    limitCell(key),
    stateOf(key, nowMs),
  ]
}

function quotaCell({ quotaNano, spentNano }: KeyRow): string {
  if (quotaNano === null) return 'none'
  const quota = BigInt(quotaNano)
  const leftNano = largerOf(0n, quota - BigInt(spentNano))
  return `${formatDollars(quota)}, ${formatDollars(leftNano)} left`
}

function stateOf({ isEnabled, expiresAt, state }: KeyRow, nowMs: number): string {
  if (state === 'stopped') return 'stopped'
  if (!isEnabled) return 'disabled'
  if (state === 'exhausted') return 'quota exhausted'
  if (expiresAt === null) return 'enabled'
  return `${expiresAt <= nowMs ? 'expired' : 'until'} ${timeText(expiresAt)}`
}
