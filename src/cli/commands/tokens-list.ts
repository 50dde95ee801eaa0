import { tokenDefinition } from '../../admin-tokens/definition/token.ts'
import type { TokenRow } from '../../console-api/contract.ts'
import { without } from '../../fields/definition.ts'
import { accountsKind } from '../../fields/kinds.ts'
import type { Command } from '../command.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { ofEachAccount } from '../gateway/of-each-account.ts'
import { pagesOf } from '../gateway/pages-of.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { readTyped } from '../read-typed.ts'
import { rowJson } from '../row-json.ts'
import { timeText } from '../time-text.ts'
import { writeList } from '../write-list.ts'

export const tokensList: Command = {
  name: 'tokens list',
  summary: 'List admin API tokens, without their values.',
  example: '--account acme',
  positionals: [],
  options: {
    account: { kind: 'list', placeholder: 'ID', description: 'Only tokens for this account.' },
    json: { kind: 'switch', description: 'Print JSON.' },
  },
  run: async (call) => {
    const typed = call.list('account')
    const accounts = typed && readTyped('--account', accountsKind, [...new Set(typed)])
    return withGateway(call, async (gateway) => {
      await writeList(
        call,
        ofEachAccount(accounts, (account) => tokenPages(gateway, account)),
        { none: 'There are no tokens.', heading, cellsOf, jsonOf },
      )
      return 0
    })
  },
}

async function* tokenPages(gateway: GatewayClient, account: string | undefined) {
  const read = (after: string | undefined) =>
    gateway.call('GET /tokens', { query: { account, after } })
  for await (const { tokens } of pagesOf(read)) yield tokens
}

function jsonOf(token: TokenRow) {
  return {
    id: token.id,
    hint: token.hint,
    accountId: token.accountId,
    ...rowJson(without(tokenDefinition, ['accountId']), token),
    madeBy: token.madeBy,
    created: timeText(token.createdAt),
    used: timeText(token.usedAt),
    usedAddress: token.usedAddress,
    revoked: timeText(token.revokedAt),
  }
}

const heading = ['ID', 'NAME', 'VALUE', 'SCOPES', 'ACCOUNT', 'CREATED BY', 'LAST USED', 'STATE']

function cellsOf(token: TokenRow): string[] {
  return [
    token.id,
    token.name,
    token.hint,
    token.scopes.join(','),
    token.accountId ?? 'all',
    token.madeBy,
    timeText(token.usedAt) ?? 'never',
    stateOf(token),
  ]
}

function stateOf({ state, revokedAt, expiresAt }: TokenRow): string {
  switch (state) {
    case 'revoked':
      return `revoked ${timeText(revokedAt)}`
    case 'expired':
      return `expired ${timeText(expiresAt)}`
    case 'orphaned':
      return 'rejected: its creator no longer has the right to it'
    case 'active':
      return expiresAt === null ? 'active' : `until ${timeText(expiresAt)}`
  }
}
