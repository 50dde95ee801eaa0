import { describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { alertKinds } from '../../../src/alerts/definition/alert.ts'
import { commands } from '../../../src/cli/command-list.ts'
import { parseCommand } from '../../../src/cli/parse-command.ts'
import type { Config } from '../../../src/config/config.ts'
import type { OpenConfig } from '../../../src/config/referenced-secrets.ts'
import { problemText } from '../../../src/fields/problems.ts'
import { listen } from '../../../src/http-in/listen.ts'
import { terminals } from './run-line.ts'

const openTerminal = terminals()

const wrong: [string, string][] = [
  ['serv', 'Unknown command "serv"; did you mean "serve"?'],
  [
    'dance',
    'Unknown command "dance"; valid commands: serve, apply, export, config, keys, accounts, members, users, tokens, alerts, messages, upstreams, usage, recordings, audit-log, audit, ledger, migrate, backup, restore, secret, sign-in-link, doctor, health, help, version.',
  ],
  [
    'keys',
    '"tollgate keys" needs a subcommand: create, list, reveal, update, rotate, disable, enable, convert, delete.',
  ],
  ['keys crate', 'Unknown command "keys crate"; did you mean "keys create"?'],
  ['ledger', '"tollgate ledger" needs a subcommand: replay.'],
  ...['--verson', '-v', '--url https://example.com keys list'].map((line): [string, string] => [
    line,
    `"${line.split(' ')[0]}" is not a command, and flags come after the command; see "tollgate help".`,
  ]),
  ['keys reveal', '"tollgate keys reveal" needs ID; see --help.'],
  ['accounts suspend', '"tollgate accounts suspend" needs ID; see --help.'],
  ['sign-in-link a b', '"tollgate sign-in-link" does not accept the argument "b".'],
  [
    'sign-in-link --listen :0',
    'With port 0 this command does not know the address of the gateway; name it with --listen.',
  ],
  ['keys convert', '"tollgate keys convert" needs ID; see --help.'],
  ['keys reveal a b', '"tollgate keys reveal" does not accept the argument "b".'],
  ['serve --lisen :1', 'Unknown flag --lisen; did you mean --listen?'],
  ['serve --xyzzy', 'Unknown flag --xyzzy; run "tollgate serve --help" for the list.'],
  ['serve -x', 'Unknown flag -x; run "tollgate serve --help" for the list.'],
  ['serve --listen', '--listen needs a value.'],
  ['keys list --json=yes', '--json does not accept a value.'],
  ['keys create --name n', '"tollgate keys create" needs --account; see --help.'],
  [
    'keys create --account a --name n --quota much',
    '--quota must be an amount in US$ such as 5.00, not negative, with at most nine decimals, not "much".',
  ],
  [
    'keys create --account a --name n --value hidden',
    '--value must be 20 to 512 printable characters without spaces.',
  ],
  [
    'keys create --account a --name n --address home',
    '--address must be an IP address or network such as 10.0.0.0/8 or ::1, not "home".',
  ],
  ...[
    'accounts create a!',
    'accounts credit a! 1',
    'accounts correct a! 1 --reason typo',
    'accounts reverse a! slip',
    'accounts suspend a!',
    'accounts resume a!',
    'keys enable a!',
    'keys disable a!',
    'keys reveal a!',
    'keys convert a!',
    'upstreams test a!',
  ].map((line): [string, string] => [line, `The id ${problemText('id_wrong')}, not "a!".`]),
  ...['keys list --account', 'audit --account', 'audit --release', 'accounts credit a 1 --id'].map(
    (line): [string, string] => [
      `${line} a!`,
      `${line.slice(line.indexOf('--'))} ${problemText('id_wrong')}, not "a!".`,
    ],
  ),
  ['tokens create --name n', '"tollgate tokens create" needs --scope; see --help.'],
  ['tokens revoke', '"tollgate tokens revoke" needs ID; see --help.'],
  [
    'tokens create --name n --scope read --scope write',
    '--scope must be one of read, keys, catalogue, accounts, money, usage, recordings, all, not "write".',
  ],
  [
    'tokens create --name n --scope read --expires soon',
    '--expires must be a date such as 2027-01-01, or a time such as 2027-01-01T00:00:00Z, not "soon".',
  ],
  [
    'tokens create --name n --scope read --address 10.0.0.1 --address home',
    '--address must be an IP address or network such as 10.0.0.0/8 or ::1, not "home".',
  ],
  [
    'accounts create a --name=',
    '--name must be a name of 1 to 200 characters on one line, not "".',
  ],
  [
    `accounts credit a 1 --reason ${'x'.repeat(201)}`,
    `--reason must be a name of 1 to 200 characters on one line, not "${'x'.repeat(201)}".`,
  ],
  ['sign-in-link nobody', 'The email must be an email address, not "nobody".'],
  [
    'upstreams test a --protocol soap',
    '--protocol must be one of chat-completions, responses, messages, generate-content, not "soap".',
  ],
  ['accounts credit a 0', 'The amount must be greater than zero, not "0".'],
]

describe('an invalid command line exits with 2 and one sentence', () => {
  for (const [line, sentence] of wrong) {
    test(line, async () => {
      const said = await openTerminal().run(line)
      expect(said).toEqual({ code: 2, out: '', err: `tollgate: ${sentence}\n` })
    })
  }
})

test('an invalid setting exits with 1 and its sentence', async () => {
  const { code, err } = await openTerminal().run('config --brand Big')
  expect(code).toBe(1)
  expect(err).toBe(
    'tollgate: The flag --brand must be 1 to 32 characters of a-z, 0-9 and inner dashes, not "Big".\n',
  )
})

test('an address in use exits with 1 and one sentence, not with a stack trace', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve)
  })
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const serve = async ({ config: { listen: place } }: OpenConfig) => {
    await listen(place, async () => new Response()).stop()
    return 0
  }
  const said = await openTerminal().run(`serve --listen 127.0.0.1:${port}`, { serve })
  other.close()
  expect(said).toEqual({
    code: 1,
    out: '',
    err: `tollgate: The address 127.0.0.1:${port} is taken by another program: stop that one, or choose another port with --listen.\n`,
  })
})

test('the example of a command is a valid call of it, with every required option', () => {
  for (const command of commands) {
    const { name, example, positionals, options } = command
    const isRequired = Object.values(options).some(({ description }) =>
      description.endsWith('Required.'),
    )
    const needsExample = isRequired || positionals.length > 1 || name.endsWith(' list')
    if (needsExample) expect({ name, example }).toHaveProperty('example')
    if (example === undefined) continue
    const [line = ''] = example.split('> ')
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? '',
    )
    const given = parseCommand(command, words)
    for (const [flag, { kind, description }] of Object.entries(options)) {
      if (!description.endsWith('Required.')) continue
      const value = kind === 'list' ? given.lists.get(flag) : given.texts.get(flag)
      expect({ name, flag, value }).not.toMatchObject({ value: undefined })
    }
  }
})

test('every command shows its help without reading the configuration', async () => {
  const world = { env: { TOLLGATE_NONSENSE: '1' } }
  for (const { name, summary } of commands) {
    const { code, out } = await openTerminal().run(`${name} --help`, world)
    expect(code).toBe(0)
    expect(out).toContain(`Usage: tollgate ${name}`)
    expect(out).toContain(summary)
    expect((await openTerminal().run(`help ${name}`, world)).out).toBe(out)
  }
})

test('help shows a default once, and all settings only where they matter', async () => {
  const whole = (await openTerminal().run('help serve')).out
  for (const line of whole.split('\n')) expect(line.split('Default: ').length).toBeLessThan(3)
  expect(whole).toContain('--drain-seconds')
  const short = (await openTerminal().run('help keys create')).out
  for (const flag of ['--config', '--data', '--database', '--secret'])
    expect(short).toContain(`  ${flag} `)
  expect(short).not.toContain('--drain-seconds')
  expect(short).toContain('"tollgate help serve" lists all')
})

test('help, version and nothing at all', async () => {
  const terminal = openTerminal()
  const help = await terminal.run('help')
  expect(help.code).toBe(0)
  for (const { name } of commands) expect(help.out).toContain(`  ${name}`)
  expect(await terminal.run('--help')).toEqual(help)
  expect((await terminal.run('keys --help')).out).toContain('keys reveal ID')
  expect(await terminal.run('version')).toEqual({ code: 0, out: 'tollgate 1.2.3\n', err: '' })
  expect(await terminal.run('')).toEqual({ code: 2, out: '', err: help.out })
})

test('serve gets the configuration, and its exit code is that of the command line', async () => {
  let seen: Config | undefined
  const serve = async ({ config }: OpenConfig) => {
    seen = config
    return 7
  }
  const { code } = await openTerminal().run('serve --listen 127.0.0.1:9000', { serve })
  expect(code).toBe(7)
  expect(seen?.listen).toEqual({ hostname: '127.0.0.1', port: 9000 })
})

test('the help of an area names the commands that do not work on a remote gateway, if there are any', async () => {
  const helps: [area: string, remote: string | undefined][] = [
    ['', 'Remote gateway, for every command except serve, migrate, '],
    ['alerts', 'Remote gateway:\n'],
    ['alerts create', 'Remote gateway:\n'],
    ['secret', undefined],
    ['secret rotate', undefined],
  ]
  for (const [area, remote] of helps) {
    const { out } = await openTerminal().run(`help ${area}`.trim())
    expect([area, /^Remote gateway.*\n/m.exec(out)?.[0].slice(0, remote?.length)]).toEqual([
      area,
      remote,
    ])
  }
})

test('the help names the conditions of an alert', async () => {
  const { out } = await openTerminal().run('help alerts create')
  for (const kind of alertKinds) expect(out).toContain(kind)
})
