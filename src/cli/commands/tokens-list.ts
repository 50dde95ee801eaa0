import type { AdminToken } from '../../admin-tokens/admin-token.ts'
import { isExpired } from '../../admin-tokens/admin-token.ts'
import { listTokens } from '../../admin-tokens/token-store.ts'
import { alignColumns } from '../../config/align-columns.ts'
import type { Engine } from '../../store/engine.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../with-database.ts'

const pageRows = 1_000

export const tokensList: Command = {
  name: 'tokens list',
  summary: 'List tokens of the admin API, without their values.',
  positionals: [],
  options: {
    account: { kind: 'list', placeholder: 'ID', description: 'Only tokens for this account.' },
    json: { kind: 'switch', description: 'As JSON.' },
  },
  run: (call) =>
    withDatabase(call, async ({ engine }) => {
      const tokens = await allTokens(engine, call.list('account'))
      call.world.stdout(call.isOn('json') ? asJson(tokens) : asTable(tokens, call.world.nowMs()))
      return 0
    }),
}

async function allTokens(
  { db }: Engine,
  accountIds: readonly string[] | undefined,
): Promise<AdminToken[]> {
  const tokens: AdminToken[] = []
  for (;;) {
    const afterId = tokens.at(-1)?.id
    const page = await listTokens(db, { accountIds, afterId, rowsMax: pageRows })
    tokens.push(...page)
    if (page.length < pageRows) return tokens
  }
}

function asJson(tokens: readonly AdminToken[]): string {
  const rows = tokens.map((token) => ({
    id: token.id,
    name: token.name,
    hint: token.hint,
    scopes: token.scopes,
    accountId: token.accountId ?? null,
    addresses: token.addresses ?? null,
    expires: timeText(token.expiresAtMs),
    madeBy: token.madeBy,
    created: timeText(token.createdAtMs),
    used: timeText(token.usedAtMs),
    usedAddress: token.usedAddress ?? null,
    revoked: timeText(token.revokedAtMs),
  }))
  return `${JSON.stringify(rows, null, 2)}\n`
}

function timeText(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

function asTable(tokens: readonly AdminToken[], nowMs: number): string {
  if (tokens.length === 0) return 'There are no tokens.\n'
  const heading = ['ID', 'NAME', 'VALUE', 'SCOPES', 'ACCOUNT', 'MADE BY', 'LAST USED', 'STATE']
  const rows = tokens.map((token) => [
    token.id,
    token.name,
    token.hint,
    token.scopes.join(','),
    token.accountId ?? 'all',
    token.madeBy,
    timeText(token.usedAtMs) ?? 'never',
    stateOf(token, nowMs),
  ])
  return `${alignColumns([heading, ...rows]).join('\n')}\n`
}

function stateOf(token: AdminToken, nowMs: number): string {
  if (token.revokedAtMs !== undefined) return `revoked ${timeText(token.revokedAtMs)}`
  if (token.expiresAtMs === undefined) return 'active'
  return `${isExpired(token, nowMs) ? 'expired' : 'until'} ${timeText(token.expiresAtMs)}`
}
