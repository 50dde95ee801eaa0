import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accountDefinition } from '../../../src/accounts/definition/account.ts'
import { memberDefinition } from '../../../src/accounts/definition/member.ts'
import { userDefinition } from '../../../src/accounts/definition/user.ts'
import { tokenDefinition } from '../../../src/admin-tokens/definition/token.ts'
import { alertDefinition } from '../../../src/alerts/definition/alert.ts'
import { type Definition, writtenName } from '../../../src/fields/definition.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { terminals } from './run-line.ts'

const openTerminal = terminals({ hasDatabase: true })
const provision = {
  groups: [{ id: 'default' }],
  accounts: [{ id: 'acme', monthly: '7.5', ends: '2098-01-02', requestsPerMinute: 9 }],
  users: [{ email: 'ann@example.com', accounts: [{ id: 'acme', role: 'owner', weekly: 50 }] }],
  keys: [{ id: 'laptop', account: 'acme', quota: 5, priority: 'high', locked: true }],
  alerts: [
    { id: 'low', channel: 'email', emails: ['ann@example.com'], kinds: ['credit_low'] },
    {
      id: 'hook',
      channel: 'webhook',
      url: 'https://hooks.example.com/secret-path',
      secret: 'a-secret-of-twenty-characters',
      kinds: ['credit_low'],
    },
  ],
}

/** The names that these lists had before the names of the file. */
const former: Readonly<Record<string, string>> = {
  'key.accountId': 'accountId',
  'token.accountId': 'accountId',
  'user.isSuspended': 'suspended',
}

const lists: readonly (readonly [line: string, Definition, object])[] = [
  ['keys list', keyDefinition, { quota: '5.00', priority: 'high', locked: true, expires: null }],
  ['accounts list', accountDefinition, { monthly: '7.50', ends: '2098-01-02T00:00:00.000Z' }],
  ['members list acme', memberDefinition, { role: 'owner', weekly: '50.00' }],
  ['users list', userDefinition, { role: 'member', suspended: false }],
  ['alerts list', alertDefinition, { host: 'hooks.example.com', creditBelow: '5.00' }],
  ['tokens list', tokenDefinition, { expires: '2099-01-01T00:00:00.000Z', scopes: ['read'] }],
]

const ready = (async () => {
  const terminal = openTerminal()
  writeFileSync(join(terminal.cwd, 'tollgate.yaml'), JSON.stringify({ provision }))
  expect((await terminal.run('apply')).err).toBe('')
  const token = await terminal.run('tokens create --name ci --scope read --expires 2099-01-01')
  expect(token.err).toBe('')
  return terminal
})()

test.each(lists)('%s --json has every field, and no secret', async (line, definition, some) => {
  const terminal = await ready
  const { out } = await terminal.run(`${line} --json`)
  const [row = {}] = JSON.parse(out) as Record<string, unknown>[]
  expect(row).toMatchObject(some)
  for (const [name, field] of Object.entries(definition.fields)) {
    const written = former[`${definition.name}.${name}`] ?? writtenName(name, field) ?? name
    expect([written, Object.hasOwn(row, written)]).toEqual([written, field.isSecret !== true])
  }
  expect(out).not.toContain('secret-')
})

test('the active conditions of an alert, one that does not exist, and --json', async () => {
  const terminal = await ready
  const none = await terminal.run('alerts conditions low')
  expect(none.out).toBe('The alert has no active conditions.\n')
  expect((await terminal.run('alerts conditions low --json')).out).toBe('[]\n')
  const missing = await terminal.run('alerts conditions nope')
  expect(missing.err).toContain('There is no alert "nope"')
})
