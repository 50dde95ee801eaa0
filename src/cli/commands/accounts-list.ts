import { alignColumns } from '../../config/align-columns.ts'
import { formatDollars } from '../../core/money.ts'
import type { Engine } from '../../store/engine.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../with-database.ts'

interface AccountListing {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly available: string
  readonly ends: string | null
}

export const accountsList: Command = {
  name: 'accounts list',
  summary: 'List accounts and what they have available.',
  positionals: [],
  options: { json: { kind: 'switch', description: 'As JSON.' } },
  run: (call) =>
    withDatabase(call, async ({ engine }) => {
      const accounts = await listAccounts(engine)
      const text = call.isOn('json') ? JSON.stringify(accounts, null, 2) : asTable(accounts)
      call.world.stdout(`${text}\n`)
      return 0
    }),
}

async function listAccounts(engine: Engine): Promise<AccountListing[]> {
  const rows = await engine.db
    .selectFrom('account')
    .select(['id', 'name', 'status', 'available_nano', 'ends_at'])
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    status: row.status,
    available: formatDollars(row.available_nano),
    ends: row.ends_at === null ? null : new Date(row.ends_at).toISOString(),
  }))
}

function asTable(accounts: readonly AccountListing[]): string {
  if (accounts.length === 0) return 'There are no accounts.'
  const rows = accounts.map(({ id, name, status, available }) => [id, name, available, status])
  return alignColumns([['ID', 'NAME', 'AVAILABLE US$', 'STATE'], ...rows]).join('\n')
}
