import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../../src/store/open-store.ts'
import { type Terminal, terminals } from './run-line.ts'

const openTerminal = terminals({ hasDatabase: true })

async function auditOf({ cwd }: Terminal) {
  const engine = await openStore(`sqlite://${join(cwd, 'data', 'tollgate.db')}`)
  try {
    return await engine.db.selectFrom('audit').selectAll().orderBy('seq').execute()
  } finally {
    await engine.close()
  }
}

test('a key is created, listed, shown, disabled and enabled; each change is recorded without its value', async () => {
  const terminal = openTerminal()
  await terminal.run('accounts create acme --name Acme --credit 5.5')
  const made = await terminal.run(
    'keys create --account acme --name laptop --model m1 --model m2 --quota 5 --daily 2 --requests-per-minute 60 --expires 2099-01-01 --address ::1',
  )
  expect(made.code).toBe(0)
  const [, id = '', value = ''] = /^id +(\S+)\nvalue +(\S+)\n$/.exec(made.out) ?? []
  expect(value).toMatch(/^sk-[0-9A-Za-z]{48}$/)

  const table = await terminal.run('keys list')
  expect(table.out).toContain(id)
  expect(table.out).toContain('until 2099-01-01T00:00:00.000Z')
  expect(table.out).toMatch(
    / 5\.00, 5\.00 left +0\.00 +day 0\.00\/2\.00, 2\.00 left until \S+ +60 requests\/min /,
  )
  expect(table.out).not.toContain(value)
  const json = await terminal.run('keys list --json')
  expect(json.out).not.toContain(value)
  expect(JSON.parse(json.out)).toMatchObject([
    {
      id,
      accountId: 'acme',
      owner: null,
      name: 'laptop',
      hint: `sk-…${value.slice(-4)}`,
      groups: ['default'],
      models: ['m1', 'm2'],
      addresses: ['::1'],
      quota: '5.00',
      spent: '0.00',
      budgets: [
        {
          period: 'day',
          limit: '2.00',
          spent: '0.00',
          remaining: '2.00',
          resets: expect.stringMatching(/T00:00:00\.000Z$/),
        },
      ],
      requestsPerMinute: 60,
      tokensPerMinute: null,
      concurrentRequests: null,
      expires: '2099-01-01T00:00:00.000Z',
      enabled: true,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  ])
  expect((await terminal.run('keys list --account other')).out).toBe('There are no keys.\n')

  expect((await terminal.run(`keys reveal ${id}`)).out).toBe(`${value}\n`)
  expect((await terminal.run(`keys disable ${id}`)).out).toBe(`key ${id} is disabled\n`)
  expect((await terminal.run(`keys disable ${id}`)).out).toBe(`key ${id} was already disabled\n`)
  expect((await terminal.run('keys list')).out).toContain('disabled')
  expect((await terminal.run(`keys enable ${id}`)).out).toBe(`key ${id} is enabled\n`)

  const audit = await auditOf(terminal)
  expect(audit.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
    ['cli', 'account.created', 'acme'],
    ['cli', 'key.created', id],
    ['cli', 'key.revealed', id],
    ['cli', 'key.disabled', id],
    ['cli', 'key.enabled', id],
  ])
  expect(JSON.stringify(audit)).not.toContain(value)
})

test('a key may be created with a given value, but not with an existing one', async () => {
  const terminal = openTerminal()
  await terminal.run('accounts create acme')
  const line = 'keys create --account acme --name n --value my-own-value-0123456789'
  expect((await terminal.run(line)).out).toContain('my-own-value-0123456789')
  const again = await terminal.run(line)
  expect(again.code).toBe(1)
  expect(again.err).toMatch(
    /^tollgate: Key "key_\w+" already has this value\. Every key needs its own value\.\n$/,
  )
})

test('a credit with its own id is granted once', async () => {
  const terminal = openTerminal()
  await terminal.run('accounts create acme')
  const line = 'accounts credit acme 25.000000001 --reason gift --id invoice-7'
  expect((await terminal.run(line)).out).toBe(
    '$25.000000001 added to acme; $25.000000001 available\n',
  )
  expect((await terminal.run(line)).out).toBe(
    'the credit "invoice-7" already exists; nothing was added to acme; $25.000000001 available\n',
  )
  expect((await terminal.run('accounts credit acme 1')).out).toContain('$26.000000001 available')
  expect((await terminal.run('accounts credit acme 1')).out).toContain('$27.000000001 available')
  expect((await terminal.run('accounts list')).out).toContain('27.000000001')
  expect(JSON.parse((await terminal.run('accounts list --json')).out)).toMatchObject([
    { id: 'acme', name: 'acme', status: 'active', available: '27.000000001', ends: null },
  ])
  expect(await auditOf(terminal)).toHaveLength(4)
})

test('the id of a credit is not used for another credit', async () => {
  const terminal = openTerminal()
  await terminal.run('accounts create acme')
  await terminal.run('accounts credit acme 25.000000001 --id invoice-7')
  await terminal.run('accounts create beta')
  for (const other of ['acme 30', 'beta 25.000000001'])
    expect(await terminal.run(`accounts credit ${other} --id invoice-7`)).toEqual({
      code: 1,
      out: '',
      err: 'tollgate: The id "invoice-7" already belongs to another credit: $25.000000001 for the account "acme". Nothing was changed. Use another id.\n',
    })
  const accounts = JSON.parse((await terminal.run('accounts list --json')).out)
  expect(accounts).toMatchObject([{ available: '25.000000001' }, { available: '0.00' }])
})

const asked: [line: string, question: string][] = [
  ['accounts correct acme 9 --reason typo', 'This deducts $9.00 from acme'],
  ['accounts reverse acme slip', 'This reverses the whole credit "slip" of acme'],
  ['accounts credit acme 10000', 'This adds $10000.00 to acme'],
  ['accounts create beta --credit 10000.5', 'This adds $10000.50 to beta'],
]
test.each(asked)(
  '%s asks first, and does nothing without a confirmation',
  async (line, question) => {
    const terminal = openTerminal()
    await terminal.run('accounts create acme')
    await terminal.run('accounts credit acme 9 --id slip')
    const before = (await terminal.run('accounts list')).out
    expect(await terminal.run(line)).toEqual({
      code: 2,
      out: '',
      err: `tollgate: ${question}; there is no terminal to confirm it, so repeat the command with --yes.\n`,
    })
    const questions: string[] = []
    const saying = (answer: string) => ({
      ask: async (text: string) => {
        questions.push(text)
        return answer
      },
    })
    for (const answer of ['', 'n', 'no', 'yes!', 'ja']) {
      const said = await terminal.run(line, saying(answer))
      expect(said).toEqual({ code: 1, out: '', err: 'tollgate: Nothing was changed.\n' })
    }
    expect(new Set(questions)).toEqual(new Set([`${question}. Continue? [y/N] `]))
    expect((await terminal.run('accounts list')).out).toBe(before)
    expect((await terminal.run(line, saying(' Y\n'))).code).toBe(0)
    expect((await terminal.run('accounts list')).out).not.toBe(before)
  },
)

test('usual amounts need no confirmation, and --yes replaces it', async () => {
  const terminal = openTerminal()
  const ask = () => Promise.reject(new Error('asked'))
  const lines = [
    'accounts create acme --credit 9999.999999999',
    'accounts credit acme 9999.999999999',
    'accounts credit acme 1000000 --yes',
    'accounts correct acme 1000000 --reason typo --yes',
  ]
  for (const line of lines) expect((await terminal.run(line, { ask })).code).toBe(0)
})

test('credit is deducted by a correction or a reversal, once, and never more than is available', async () => {
  const terminal = openTerminal()
  await terminal.run('accounts create acme')
  await terminal.run('accounts credit acme 1000 --id slip')
  const correction = 'accounts correct acme 900 --reason typo --id fix-1 --yes'
  const rows: [string, number, string][] = [
    [correction, 0, '$900.00 deducted from acme; $100.00 available\n'],
    [
      correction,
      0,
      'the correction "fix-1" already exists; nothing was taken from acme; $100.00 available\n',
    ],
    [
      'accounts correct acme 100.000000001 --reason typo --yes',
      1,
      'tollgate: The account "acme" has $100.00 available and $0.00 reserved for requests, so $100.000000001 cannot be deducted; "tollgate accounts correct" can deduct a smaller amount.\n',
    ],
    [
      'accounts correct acme 1',
      2,
      'tollgate: "tollgate accounts correct" needs --reason; see --help.\n',
    ],
    [
      'accounts reverse acme slip --yes',
      1,
      'tollgate: The account "acme" has $100.00 available and $0.00 reserved for requests, so $1000.00 cannot be deducted; "tollgate accounts correct" can deduct a smaller amount.\n',
    ],
    [
      'accounts reverse acme fix-1 --yes',
      0,
      'the credit "fix-1" of -$900.00 is reversed in acme; $1000.00 available\n',
    ],
    [
      'accounts reverse acme slip --yes',
      0,
      'the credit "slip" of $1000.00 is reversed in acme; $0.00 available\n',
    ],
    [
      'accounts reverse acme slip --yes',
      0,
      'the credit "slip" is already reversed; nothing changed in acme; $0.00 available\n',
    ],
    [
      'accounts reverse acme nope --yes',
      1,
      'tollgate: The account "acme" has no credit "nope"; see "tollgate audit --account acme".\n',
    ],
  ]
  for (const [line, code, text] of rows) {
    const said = await terminal.run(line)
    expect([line, said.code, said.out + said.err]).toEqual([line, code, text])
  }
  const [, , ...changes] = await auditOf(terminal)
  expect(changes.map(({ action, subject }) => [action, subject])).toEqual([
    ['account.corrected', 'acme'],
    ['account.credit-reversed', 'acme'],
    ['account.credit-reversed', 'acme'],
  ])
  expect((await terminal.run('audit --account acme')).code).toBe(0)
})

test('an account is suspended and resumed; each change is recorded once', async () => {
  const terminal = openTerminal()
  await terminal.run('accounts create acme')
  const statusOf = async () =>
    JSON.parse((await terminal.run('accounts list --json')).out)[0].status
  const rows: [string, string, string][] = [
    ['resume', 'account acme was already active\n', 'active'],
    ['suspend', 'account acme is suspended\n', 'suspended'],
    ['suspend', 'account acme was already suspended\n', 'suspended'],
    ['resume', 'account acme is active\n', 'active'],
  ]
  for (const [word, out, status] of rows) {
    expect(await terminal.run(`accounts ${word} acme`)).toEqual({ code: 0, out, err: '' })
    expect(await statusOf()).toBe(status)
  }
  const [, ...changes] = await auditOf(terminal)
  expect(
    changes.map(({ actor, action, subject, before, after }) => [
      actor,
      action,
      subject,
      before,
      after,
    ]),
  ).toEqual([
    ['cli', 'account.suspended', 'acme', '{"status":"active"}', '{"status":"suspended"}'],
    ['cli', 'account.resumed', 'acme', '{"status":"suspended"}', '{"status":"active"}'],
  ])
})

const refused: [string, string][] = [
  ['accounts suspend nope', 'There is no account "nope"; see "tollgate accounts list".'],
  ['accounts resume nope', 'There is no account "nope"; see "tollgate accounts list".'],
  [
    'sign-in-link',
    'There is no administrator yet; start the gateway once, or add one to provision.users and apply.',
  ],
  [
    'sign-in-link b@example.com',
    'There is no user "b@example.com"; create it with "tollgate users create b@example.com".',
  ],
  ['keys reveal nope', 'There is no key "nope"; see "tollgate keys list".'],
  ['keys convert nope', 'There is no key "nope"; see "tollgate keys list".'],
  ['keys disable nope', 'There is no key "nope"; see "tollgate keys list".'],
  [
    'keys create --account nope --name n',
    'There is no account "nope"; create it with "tollgate accounts create nope".',
  ],
  [
    'keys create --account acme --name n --group gold',
    'There is no group "gold"; add it to provision.groups and apply.',
  ],
  [
    'accounts credit nope 1',
    'There is no account "nope"; create it with "tollgate accounts create nope".',
  ],
  ['accounts create acme', 'The account "acme" already exists.'],
]

test('a command that cannot be executed exits with 1 and one sentence, and changes nothing', async () => {
  const terminal = openTerminal()
  await terminal.run('accounts create acme')
  for (const [line, sentence] of refused) {
    expect(await terminal.run(line)).toEqual({ code: 1, out: '', err: `tollgate: ${sentence}\n` })
  }
  expect(await auditOf(terminal)).toHaveLength(1)
})

test('apply creates what the file names, and prints what it did', async () => {
  const terminal = openTerminal()
  const text = 'provision:\n  accounts: [{ id: acme }]\n  keys: [{ id: k, account: acme }]\n'
  writeFileSync(join(terminal.cwd, 'tollgate.yaml'), text)
  expect((await terminal.run('apply --dry-run')).out).toBe(
    'provision: 1 account (1 created), 1 key (1 created); nothing was changed\n  would create account acme\n  would create key k\n',
  )
  expect(await terminal.run('apply')).toEqual({
    code: 0,
    out: 'provision: 1 account (1 created), 1 key (1 created)\n',
    err: '',
  })
  expect((await terminal.run('apply')).out).toBe(
    'provision: 1 account (1 unchanged), 1 key (1 unchanged)\n',
  )
  const missing = await terminal.run('apply --config other.yaml')
  expect(missing.code).toBe(1)
  expect(missing.err).toContain('other.yaml (named by --config) does not exist')
})

test('config shows the effective settings', async () => {
  const { code, out } = await openTerminal().run('config --brand acme')
  expect(code).toBe(0)
  expect(out).toMatch(/^brand: +acme +# --brand$/m)
})

test('a token is created, listed and revoked; each change is recorded without its value', async () => {
  const terminal = openTerminal()
  await terminal.run('accounts create acme')
  const made = await terminal.run(
    'tokens create --name ci --scope keys --scope read --account acme --expires 2099-01-01 --address ::1',
  )
  expect(made.code).toBe(0)
  const [, id = '', value = ''] = /^id +(\S+)\nvalue +(\S+)\n$/.exec(made.out) ?? []
  expect(value).toMatch(/^tgat_[0-9A-Za-z]{48}$/)

  const table = await terminal.run('tokens list')
  expect(table.out).toContain('read,keys')
  expect(table.out).toContain('until 2099-01-01T00:00:00.000Z')
  const json = await terminal.run('tokens list --json')
  expect(table.out + json.out).not.toContain(value)
  expect(JSON.parse(json.out)).toEqual([
    {
      id,
      name: 'ci',
      hint: `tgat_…${value.slice(-4)}`,
      scopes: ['read', 'keys'],
      accountId: 'acme',
      addresses: ['::1'],
      expires: '2099-01-01T00:00:00.000Z',
      madeBy: 'cli',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      used: null,
      usedAddress: null,
      revoked: null,
    },
  ])
  expect((await terminal.run('tokens list --account other')).out).toBe('There are no tokens.\n')
  expect((await terminal.run(`tokens revoke ${id}`)).out).toBe(`token ${id} is revoked\n`)
  expect((await terminal.run(`tokens revoke ${id}`)).out).toBe(`token ${id} was already revoked\n`)
  expect((await terminal.run('tokens list')).out).toContain('revoked')

  const audit = await auditOf(terminal)
  expect(audit.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
    ['cli', 'account.created', 'acme'],
    ['cli', 'token.created', id],
    ['cli', 'token.revoked', id],
  ])
  expect(JSON.stringify(audit)).not.toContain(value)
})

test.each([
  ['revoke none', 'There is no token "none"; see "tollgate tokens list".'],
  [
    'create --name n --scope all --account none',
    'There is no account "none"; create it with "tollgate accounts create none".',
  ],
  ['create --name n --scope all --expires 2020-01-01', '--expires must be in the future.'],
])('tokens %s fails with one sentence', async (line, sentence) => {
  const said = await openTerminal().run(`tokens ${line}`)
  expect(said).toEqual({ code: 1, out: '', err: `tollgate: ${sentence}\n` })
})
