import { describe, expect, test } from 'bun:test'
import { tidy } from '../../../tools/tidy/tidy.ts'

type Row = readonly [rule: string, path: string, source: string]

// Joined here, so that this file itself contains no such path.
const homePath = ['', 'home', 'someone', 'project'].join('/')
const rootPath = ['', 'root', 'project'].join('/')
const form = "import { useForm } from '@mantine/form'"
const lines = (count: number) => 'export {}\n'.repeat(count)

const passing: readonly Row[] = [
  ['file-length', 'src/core/a.ts', lines(400)],
  ['file-name', 'src/core/map-finish-reason.ts', 'export const a = 1'],
  ['file-name', 'test/process/restart.test.ts', 'export const a = 1'],
  ['environment', 'src/config.ts', 'export const a = process.env'],
  ['environment', 'test/unit/a.test.ts', 'export const a = process.env'],
  ['environment', 'src/core/a.ts', 'export const a = (settings: { env: string }) => settings.env'],
  ['bun', 'src/http-in/listen.ts', 'Bun.serve({ fetch })'],
  ['bun', 'src/store/sqlite/open.ts', "import { Database } from 'bun:sqlite'"],
  ['bun', 'src/http-out/socket-client.ts', 'Bun.sleep(1)'],
  ['bun', 'src/core/a.ts', "export const title = 'Bun.serve'"],
  ['default-export', 'src/core/a.ts', 'export const a = 1'],
  ['default-export', 'console/vite.config.ts', 'export default {}'],
  ['console', 'src/cli/keys.ts', "export const a = (write: (text: string) => void) => write('x')"],
  ['console', 'tools/a.mjs', "console.log('x')"],
  ['json-parse', 'src/wire/json/read.ts', "export const a: unknown = JSON.parse('1')"],
  ['json-parse', 'src/core/a.ts', "export const a = JSON.stringify('1')"],
  ['protocol-names', 'src/gateway/a.ts', "export const a = body['messages']"],
  ['protocol-names', 'src/protocols/messages/a.ts', "export const a = name === 'messages'"],
  ['protocol-names', 'src/protocols/messages/a.ts', "export const a = kind === 'anthropic'"],
  ['protocol-names', 'src/vendors/google/a.ts', "export const a = name === 'generate-content'"],
  ['protocol-names', 'console/src/a.ts', "export const a = { 'chat-completions': 1, messages: 2 }"],
  ['protocol-names', 'test/unit/a.test.ts', "export const a = name === 'messages'"],
  ['skipped-test', 'test/unit/a.test.ts', "test.each([1])('x', () => {})"],
  ['skipped-test', 'test/unit/a.test.ts', 'export const a = list.skip(3)'],
  ['test-place', 'test/store/sqlite/a.test.ts', 'export const a = 1'],
  ['tables', 'src/keys/a.ts', "tx.insertInto('api_key').values(row)"],
  ['tables', 'src/console-api/a.ts', "db.selectFrom('api_key').selectAll()"],
  ['tables', 'src/store/migrations/0001-a.ts', "sql`UPDATE api_key SET name = ''`"],
  ['tables', 'test/store/a.test.ts', "tx.deleteFrom('api_key')"],
  ['tables', 'src/core/a.ts', "export const text = 'Update the key, or delete from here'"],
  ['form-inputs', 'console/src/a.tsx', "import { TextInput } from '@mantine/core'"],
  ['form-inputs', 'console/src/a.tsx', `${form}; import { Stack } from '@mantine/core'`],
  [
    'form-inputs',
    'console/src/a.tsx',
    `${form}; import { Switch } from './parts/forms/inputs.tsx'`,
  ],
  [
    'tables',
    'src/cli/a.ts',
    `export const text = (name: string) => \`Update \${name}, or update it.\``,
  ],
  ['tables', 'src/cli/a.ts', "export const text = 'Insert into the file what to update next.'"],
  [
    'tables',
    'src/usage/a.ts',
    "rowShape('a', { table: 'attempt', columns: ['id'], unique: ['id'] })",
  ],
  [
    'tables',
    'src/usage/a.ts',
    'sql`INSERT INTO attempt SELECT 1 ON CONFLICT DO UPDATE SET name = 1`',
  ],
  ['tables', 'src/usage/a.ts', 'sql`SELECT id FROM api_key FOR UPDATE`'],
  ['tables', 'src/ledger/a.ts', 'sql`UPDATE account SET available_nano = available_nano - 1`'],
  [
    'tables',
    'src/ledger/a.ts',
    'sql`UPDATE api_key SET available_nano = (SELECT max(a, b) FROM lease), spent_nano = 1 WHERE name = 2`',
  ],
  [
    'tables',
    'src/ledger/a.ts',
    "tx.updateTable('account').set((eb) => ({ available_nano: eb('available_nano', '+', 1n) }))",
  ],
  ['tables', 'src/store/a.ts', `sql.raw(\`DELETE FROM \${table}\`)`],
  ['machine-path', 'docs/a.md', 'Put it into `data/` or https://example.com/home/page'],
  ['machine-path', 'src/core/a.ts', "export const route = '/v1/models'"],
]

const failing: readonly Row[] = [
  ['form-inputs', 'console/src/a.tsx', `${form}; import { Stack, Switch } from '@mantine/core'`],
  ['form-inputs', 'console/src/a.tsx', `${form}; import { TextInput as T } from '@mantine/core'`],
  ['form-inputs', 'console/src/a.tsx', `${form}; import * as mantine from '@mantine/core'`],
  ['file-length', 'src/core/a.ts', lines(401)],
  ['file-length', 'console/src/a.tsx', lines(401)],
  ['file-name', 'src/core/string-utils.ts', 'export const a = 1'],
  ['file-name', 'src/gateway/helpers/a.ts', 'export const a = 1'],
  ['tables', 'src/console-api/a.ts', "tx.updateTable('api_key').set(row)"],
  ['tables', 'src/accounts/a.ts', "tx\n  .deleteFrom('api_key as k')"],
  ['tables', 'src/usage/a.ts', 'sql`INSERT INTO api_key (id) VALUES (1)`'],
  ['tables', 'src/usage/a.ts', "export const text = 'delete from entry where id = 1'"],
  ['tables', 'src/keys/a.ts', "tx.insertInto('new_table').values(row)"],
  ['tables', 'src/store/migrations/migrate.ts', "sql`UPDATE api_key SET name = ''`"],
  ['tables', 'src/usage/a.ts', 'tx.updateTable(`api_key`).set(row)'],
  ['tables', 'src/usage/a.ts', "tx.updateTable(['api_key as k', 'usage_row']).set(row)"],
  ['tables', 'src/usage/a.ts', "tx['updateTable']('api_key').set(row)"],
  ['tables', 'src/usage/a.ts', "const { updateTable } = tx\nupdateTable('api_key').set(row)"],
  ['tables', 'src/usage/a.ts', "tx?.deleteFrom('api_key' as const)"],
  ['tables', 'src/usage/a.ts', "tx.with('k', (db) => db.updateTable('api_key').set(row))"],
  ['tables', 'src/usage/a.ts', "const table = 'api_key'\ntx.updateTable(table).set(row)"],
  ['tables', 'src/usage/a.ts', 'tx.insertInto(isOld ? old : current).values(row)'],
  [
    'tables',
    'src/usage/a.ts',
    'sql`WITH k AS (UPDATE api_key SET name = 1 RETURNING id) SELECT 1`',
  ],
  ['tables', 'src/usage/a.ts', 'sql`update only api_key set name = 1`'],
  ['tables', 'src/usage/a.ts', 'sql`UPDATE OR IGNORE api_key SET name = 1`'],
  ['tables', 'src/usage/a.ts', 'sql`REPLACE INTO api_key VALUES (1)`'],
  ['tables', 'src/usage/a.ts', 'sql`TRUNCATE TABLE api_key`'],
  ['tables', 'src/usage/a.ts', 'sql`DELETE FROM "public"."api_key"`'],
  ['tables', 'src/usage/a.ts', 'sql`DELETE FROM main.api_key`'],
  ['tables', 'src/usage/a.ts', 'sql`DELETE FROM [api_key]`'],
  ['tables', 'src/usage/a.ts', 'sql`INSERT INTO -- a comment\n api_key VALUES (1)`'],
  ['tables', 'src/usage/a.ts', 'sql`INSERT INTO unheard_of VALUES (1)`'],
  ['tables', 'src/usage/a.ts', `sql\`UPDATE \${sql.table('api_key')} SET name = 1\``],
  ['tables', 'src/usage/a.ts', `sql\`update \${from} set name = 1\``],
  ['tables', 'src/usage/a.ts', `sql.raw(\`DELETE FROM "\${table}"\`)`],
  ['tables', 'src/usage/a.ts', "sql.raw('UPDATE ' + table + ' SET name = 1')"],
  [
    'tables',
    'src/usage/a.ts',
    "rowShape('a', { table: 'api_key', columns: ['id'], unique: ['id'] })",
  ],
  ['tables', 'src/usage/a.ts', "rowShape('a', { table, columns: ['id'], unique: ['id'] })"],
  ['tables', 'src/ledger/a.ts', "sql`UPDATE account SET status = 'active'`"],
  ['tables', 'src/ledger/a.ts', 'sql`UPDATE api_key SET spent_nano = 1, name = 2 WHERE id = 3`'],
  ['tables', 'src/ledger/a.ts', "export const text = 'DELETE FROM account WHERE id = ?'"],
  ['tables', 'src/ledger/a.ts', 'sql`INSERT INTO api_key (id) VALUES (1)`'],
  ['tables', 'src/ledger/a.ts', "tx.updateTable('account').set({ status: 'active' })"],
  ['tables', 'src/ledger/a.ts', "tx.updateTable('account').set(row)"],
  ['tables', 'src/ledger/a.ts', "tx.updateTable('account').set({ available_nano: 1n, ...row })"],
  ['tables', 'src/ledger/a.ts', "tx.deleteFrom('account')"],
  ['tables', 'src/limits/a.ts', 'sql`UPDATE account SET available_nano = 0`'],
  ['environment', 'src/core/a.ts', 'export const a = process.env'],
  ['environment', 'src/core/a.ts', "export const a = process['env']"],
  ['environment', 'src/core/a.ts', 'export const { env } = process'],
  ['environment', 'src/keys/a.ts', "import { env } from 'node:process'"],
  ['environment', 'src/http-in/a.ts', 'export const a = Bun.env'],
  ['environment', 'src/core/a.ts', 'export const a = import.meta.env'],
  ['bun', 'src/core/a.ts', "export const a = Bun.hash('x')"],
  ['bun', 'src/gateway/a.ts', 'export const a = (server: Bun.Server) => server'],
  ['bun', 'src/gateway/a.ts', 'export const a = globalThis.Bun'],
  ['bun', 'src/keys/a.ts', "import { Database } from 'bun:sqlite'"],
  ['bun', 'src/keys/a.ts', "import { SQL } from 'bun'"],
  ['default-export', 'src/core/a.ts', 'export default 1'],
  ['default-export', 'src/core/a.ts', 'const a = 1\nexport { a as default }'],
  ['console', 'src/cli/a.ts', "console.log('x')"],
  ['json-parse', 'src/gateway/a.ts', "export const a: unknown = JSON.parse('1')"],
  ['protocol-names', 'src/gateway/a.ts', "export const a = name === 'messages'"],
  ['protocol-names', 'src/gateway/a.ts', "export const a = 'responses' !== name"],
  ['protocol-names', 'src/app/a.ts', "switch (name) { case 'messages': }"],
  ['protocol-names', 'src/console-api/a.ts', "export const a = ['chat-completions']"],
  ['protocol-names', 'src/console-api/a.ts', "export const a = { 'chat-completions': 1 }"],
  ['protocol-names', 'src/protocols/fit/a.ts', "export const a = part.protocol !== 'responses'"],
  ['protocol-names', 'src/protocols/messages/a.ts', "export const a = name === 'responses'"],
  ['protocol-names', 'console/src/a.tsx', "export const a = protocol === 'messages'"],
  ['protocol-names', 'console/src/a.ts', "export const a = value ?? 'chat-completions'"],
  ['protocol-names', 'src/gateway/a.ts', "export const a = vendor.name === 'anthropic'"],
  ['protocol-names', 'src/routing/a.ts', "switch (vendor) { case 'azure-openai': }"],
  ['protocol-names', 'console/src/a.ts', "export const a = name === 'openai'"],
  ['skipped-test', 'test/unit/a.test.ts', "test.skip('x', () => {})"],
  ['skipped-test', 'test/unit/a.test.ts', "describe.only('x', () => {})"],
  ['skipped-test', 'test/unit/a.test.ts', "test.todo('x')"],
  ['skipped-test', 'test/unit/a.test.ts', "test.skipIf(true)('x', () => {})"],
  ['skipped-test', 'test/unit/a.test.ts', "test.concurrent.skip('x', () => {})"],
  ['skipped-test', 'test/unit/a.test.ts', "test.skip.each([1])('x', () => {})"],
  ['skipped-test', 'test/unit/a.test.ts', "xit('x', () => {})"],
  ['test-place', 'src/core/a.test.ts', 'export const a = 1'],
  ['test-place', 'test/a.test.ts', 'export const a = 1'],
  ['test-place', 'test/support/a.test.ts', 'export const a = 1'],
  ['machine-path', 'docs/a.md', `Run it in ${homePath} please.`],
  ['machine-path', 'src/core/a.ts', `export const folder = '${rootPath}'`],
  ['syntax', 'src/core/a.ts', 'export const = 1'],
]

describe('tidy', () => {
  test.each(passing)('%s accepts: %s', (_rule, path, source) => {
    expect(tidy(path, source)).toEqual([])
  })

  test.each(failing)('%s finds: %s', (rule, path, source) => {
    const rules = new Set(tidy(path, source).map((finding) => finding.rule))
    expect([...rules]).toEqual([rule])
  })

  test('reports the line of the finding', () => {
    const [finding] = tidy('src/core/a.ts', "// 😀\n\nconsole.log('x')\n")
    expect(finding).toMatchObject({ path: 'src/core/a.ts', line: 3, rule: 'console' })
  })
})
