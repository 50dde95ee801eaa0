import { alignColumns } from '../../config/align-columns.ts'
import { formatDollars } from '../../core/money.ts'
import { type KeyListing, listKeys } from '../../keys/key-list.ts'
import type { Engine } from '../../store/engine.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../with-database.ts'

const pageRows = 1_000

export const keysList: Command = {
  name: 'keys list',
  summary: 'List keys, without their values.',
  positionals: [],
  options: {
    account: { kind: 'list', placeholder: 'ID', description: 'Only keys of this account.' },
    json: { kind: 'switch', description: 'As JSON.' },
  },
  run: (call) =>
    withDatabase(call, async ({ engine }) => {
      const keys = await allKeys(engine, call.list('account'))
      call.world.stdout(call.isOn('json') ? asJson(keys) : asTable(keys, call.world.nowMs()))
      return 0
    }),
}

async function allKeys(
  engine: Engine,
  accountIds: readonly string[] | undefined,
): Promise<KeyListing[]> {
  const keys: KeyListing[] = []
  for (;;) {
    const afterId = keys.at(-1)?.id
    const page = await listKeys(engine, { accountIds, afterId, rowsMax: pageRows })
    keys.push(...page)
    if (page.length < pageRows) return keys
  }
}

function asJson(keys: readonly KeyListing[]): string {
  const rows = keys.map(({ quotaNano, spentNano, expiresAt, createdAtMs, isEnabled, ...rest }) => ({
    ...rest,
    quota: quotaNano === null ? null : formatDollars(quotaNano),
    spent: formatDollars(spentNano),
    expires: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    enabled: isEnabled,
    created: new Date(createdAtMs).toISOString(),
  }))
  return `${JSON.stringify(rows, null, 2)}\n`
}

function asTable(keys: readonly KeyListing[], nowMs: number): string {
  if (keys.length === 0) return 'There are no keys.\n'
  const heading = ['ID', 'ACCOUNT', 'NAME', 'VALUE', 'GROUPS', 'MODELS', 'QUOTA', 'SPENT', 'STATE']
  const rows = keys.map((key) => [
    key.id,
    key.accountId,
    key.name,
    key.hint,
    key.groups.join(','),
    key.models === null ? 'all' : key.models.join(',') || 'none',
    key.quotaNano === null ? 'none' : formatDollars(key.quotaNano),
    formatDollars(key.spentNano),
    stateOf(key, nowMs),
  ])
  return `${alignColumns([heading, ...rows]).join('\n')}\n`
}

function stateOf({ isEnabled, expiresAt }: KeyListing, nowMs: number): string {
  if (!isEnabled) return 'disabled'
  if (expiresAt === null) return 'enabled'
  const word = expiresAt <= nowMs ? 'expired' : 'until'
  return `${word} ${new Date(expiresAt).toISOString()}`
}
