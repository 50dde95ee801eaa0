import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../../src/store/open-store.ts'
import { terminals } from './run-line.ts'

const openTerminal = terminals({ hasDatabase: true })

test('budgets and rate limits of members are set, changed one by one, listed and removed', async () => {
  const terminal = openTerminal()
  const provision = {
    accounts: [{ id: 'acme', name: 'Acme' }],
    users: [
      { email: 'ann@example.com', accounts: [{ id: 'acme', weekly: 50, tokensPerMinute: 90 }] },
    ],
  }
  writeFileSync(join(terminal.cwd, 'tollgate.yaml'), JSON.stringify({ provision }))
  expect((await terminal.run('apply')).err).toBe('')
  const limit = (line: string) => terminal.run(`members limit acme ${line}`)
  expect((await limit('ann@example.com --daily 5 --budget-zone Asia/Tokyo')).out).toEqual(
    expect.stringMatching(
      /^budgets of ann@example.com in acme: day 0.00\/5.00, 5.00 left until \S+T15:00Z; week 0.00\/50.00, 50.00 left until \S+T15:00Z\nrate limits of ann@example.com in acme: 90 tokens\/min\n$/,
    ),
  )
  expect(
    (await limit('ann@example.com --weekly none --total 100 --requests-per-minute 6')).out,
  ).toMatch(
    /^budgets of ann@example.com in acme: total 0.00\/100.00, 100.00 left; day 0.00\/5.00, 5.00 left until \S+\nrate limits of ann@example.com in acme: 6 requests\/min, 90 tokens\/min\n$/,
  )
  expect((await terminal.run('members list acme')).out).toMatch(
    /^ann@example.com +member +total 0.00\/100.00, 100.00 left +6 requests\/min, 90 tokens\/min\n +day 0.00\/5.00, 5.00 left until \S+T15:00Z$/m,
  )
  const listed: unknown = JSON.parse((await terminal.run('members list acme --json')).out)
  expect(listed).toMatchObject([
    {
      email: 'ann@example.com',
      role: 'member',
      requestsPerMinute: 6,
      tokensPerMinute: 90,
      concurrentRequests: null,
      budgets: [
        { period: 'total', limit: '100.00', spent: '0.00', remaining: '100.00', resets: null },
        { period: 'day', resets: expect.stringMatching(/T15:00:00.000Z$/) },
      ],
    },
  ])
  const wrong = [
    ['ann@example.com', '"tollgate members limit" needs at least one option; see --help.'],
    [
      'bob@example.com --daily 5',
      'The account "acme" has no member "bob@example.com"; see "tollgate members list acme".',
    ],
  ] as const
  for (const [line, sentence] of wrong)
    expect((await limit(line)).err).toBe(`tollgate: ${sentence}\n`)
  expect((await limit('ann@example.com --daily much')).err).toContain('--daily must')
  expect((await terminal.run('members list nope')).err).toContain('There is no account "nope"')
})

test('lists show what is left of each budget, and when the budget resets', async () => {
  const terminal = openTerminal()
  const provision = {
    groups: [{ id: 'default' }],
    accounts: [
      { id: 'acme', credit: 9, daily: 2, monthly: 7.5, total: 40, budgetZone: 'Asia/Kathmandu' },
      { id: 'free' },
    ],
    keys: [{ id: 'laptop', account: 'acme', quota: 5, daily: 1, weekly: 3 }],
  }
  writeFileSync(join(terminal.cwd, 'tollgate.yaml'), JSON.stringify({ provision }))
  expect((await terminal.run('apply')).err).toBe('')
  const accounts = await terminal.run('accounts list')
  expect(accounts.out.replaceAll(/ +/g, ' ')).toMatch(
    /^ID NAME AVAILABLE US\$ BUDGETS US\$ STATE\nacme acme 9.00 total 0.00\/40.00, 40.00 left active\n day 0.00\/2.00, 2.00 left until \S+T18:15Z\n month 0.00\/7.50, 7.50 left until \S+T18:15Z\nfree free 0.00 none active\n$/,
  )
  const [listed] = JSON.parse((await terminal.run('accounts list --json')).out)
  expect(listed.budgets).toEqual([
    { period: 'total', limit: '40.00', spent: '0.00', remaining: '40.00', resets: null },
    expect.objectContaining({ period: 'day', remaining: '2.00' }),
    expect.objectContaining({ period: 'month', resets: expect.stringMatching(/T18:15:00.000Z$/) }),
  ])
  const { out } = await terminal.run('keys list')
  expect(out.replaceAll(/ +/g, ' ')).toMatch(
    / 5.00, 5.00 left 0.00 day 0.00\/1.00, 1.00 left until \S+T00:00Z none enabled\n week 0.00\/3.00, 3.00 left until \S+T00:00Z\n$/,
  )
  const [heading = '', first = '', second = ''] = out.split('\n')
  const column = heading.indexOf('BUDGETS')
  expect([first.indexOf('day'), second.indexOf('week')]).toEqual([column, column])
})

test('an unknown time zone hides nothing: lists and doctor name it, and it can be replaced', async () => {
  const terminal = openTerminal()
  const known = { accounts: [{ id: 'acme', monthly: 7 }, { id: 'free' }] }
  const people = [{ email: 'ann@example.com', accounts: [{ id: 'acme', weekly: 3 }] }]
  const keys = [
    { id: 'laptop', account: 'acme', daily: 1 },
    { id: 'other', account: 'free', daily: 2 },
  ]
  const provision = { groups: [{ id: 'default' }], ...known, users: people, keys }
  writeFileSync(join(terminal.cwd, 'tollgate.yaml'), JSON.stringify({ provision }))
  expect((await terminal.run('apply')).err).toBe('')
  expect((await terminal.run('doctor')).out).toMatch(/^ok +budgets +all time zones are known$/m)
  const { db, close } = await openStore(`sqlite://${join(terminal.cwd, 'data', 'tollgate.db')}`)
  const lost = { budget_zone: 'Mars/Olympus', budget_version: 7 }
  await db.updateTable('api_key').set(lost).where('id', '=', 'laptop').execute()
  await db.updateTable('membership').set(lost).execute()
  await db.updateTable('account').set(lost).where('id', '=', 'acme').execute()
  await close()
  writeFileSync(join(terminal.cwd, 'tollgate.yaml'), '')
  const unknown = (limit: string) => `${limit}, spending unknown: unknown time zone Mars/Olympus`
  const listed = async () =>
    (
      await Promise.all(
        ['keys list', 'members list acme', 'accounts list'].map((line) => terminal.run(line)),
      )
    )
      .map(({ out }) => out)
      .join('')
  const before = await listed()
  for (const limit of ['day 1.00', 'week 3.00', 'month 7.00'])
    expect(before).toContain(unknown(limit))
  expect(before).toMatch(/day 0.00\/2.00, 2.00 left until/)
  const [laptop] = JSON.parse((await terminal.run('keys list --json')).out)
  expect(laptop).toMatchObject({
    id: 'laptop',
    budgetZone: 'Mars/Olympus',
    budgets: [{ period: 'day', limit: '1.00', spent: null, remaining: null, resets: null }],
  })
  const { code, out } = await terminal.run('doctor')
  expect(code).toBe(1)
  const repairs = [...out.matchAll(/^fail +budgets .* tollgate (.*)$/gm)].map(
    ([, line = '']) => line,
  )
  expect(repairs).toEqual([
    'accounts update acme --budget-zone UTC',
    'keys update laptop --budget-zone UTC',
    'members limit acme ann@example.com --budget-zone UTC',
  ])
  for (const line of repairs) expect((await terminal.run(line)).err).toBe('')
  expect(await listed()).not.toContain('unknown')
  expect((await terminal.run('doctor')).out).toMatch(/^ok +budgets +all time zones are known$/m)
})

test('nothing is dated before the time of the database, however late the clock of the machine', async () => {
  const terminal = openTerminal()
  const beganMs = Date.now()
  const late = { nowMs: () => beganMs - 7_200_000 }
  const provision = { accounts: [{ id: 'beta', credit: 1 }] }
  writeFileSync(join(terminal.cwd, 'tollgate.yaml'), JSON.stringify({ provision }))
  for (const line of ['accounts create acme --credit 5', 'accounts update acme --daily 5', 'apply'])
    expect((await terminal.run(line, late)).err).toBe('')
  const engine = await openStore(`sqlite://${join(terminal.cwd, 'data', 'tollgate.db')}`)
  const { db } = engine
  const rows = [
    ...(await db.selectFrom('credit').select('created_at as at').execute()),
    ...(await db.selectFrom('audit').select('at').execute()),
    ...(await db
      .selectFrom('account')
      .select('budget_kinds_at as at')
      .where('id', '=', 'acme')
      .execute()),
  ]
  await engine.close()
  expect(rows.length).toBeGreaterThan(4)
  expect(rows.filter(({ at }) => at < beganMs)).toEqual([])
})

test('the amount from which grants ask for confirmation is a setting', async () => {
  const terminal = openTerminal()
  await terminal.run('accounts create acme --credit 9999')
  writeFileSync(join(terminal.cwd, 'tollgate.yaml'), 'confirmGrantsFrom: 50\n')
  expect((await terminal.run('accounts credit acme 49.99')).code).toBe(0)
  const asked = await terminal.run('accounts credit acme 50')
  expect(asked.code).toBe(2)
  expect(asked.err).toContain('This adds $50.00 to acme')
  expect((await terminal.run('accounts credit acme 50 --yes')).code).toBe(0)
})

test('a credit of the file, and the reversal of a correction, ask for the same confirmation', async () => {
  const terminal = openTerminal()
  const file = (credit: string) =>
    writeFileSync(
      join(terminal.cwd, 'tollgate.yaml'),
      `confirmGrantsFrom: 50\nprovision:\n  accounts: [{ id: acme, credit: ${credit} }]\n`,
    )
  file('49.99')
  expect((await terminal.run('apply')).code).toBe(0)
  file('1000') // A credit is granted once.
  expect((await terminal.run('apply')).code).toBe(0)
  await terminal.run('accounts credit acme 100 --yes')
  await terminal.run('accounts correct acme 50 --reason wrong --id c-1 --yes')
  const questions: string[] = []
  const ask = async (question: string) => {
    questions.push(question)
    return questions.length === 1 ? 'y' : 'n'
  }
  const reversed = await terminal.run('accounts reverse acme c-1', { ask })
  expect(reversed.err).toBe('tollgate: Nothing was changed.\n')
  expect(questions).toEqual([
    'This reverses the whole credit "c-1" of acme. Continue? [y/N] ',
    'This adds $50.00 to acme. Continue? [y/N] ',
  ])
  expect((await terminal.run('accounts reverse acme c-1 --yes')).out).toContain('$149.99 available')
  writeFileSync(
    join(terminal.cwd, 'tollgate.yaml'),
    'confirmGrantsFrom: 50\nprovision:\n  accounts: [{ id: rich, credit: 50 }]\n',
  )
  const asked = await terminal.run('apply')
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('This adds $50.00 to')])
  expect((await terminal.run('accounts list')).out).not.toContain('rich')
  expect((await terminal.run('apply --dry-run')).code).toBe(0)
  expect((await terminal.run('apply --yes')).code).toBe(0)
  expect((await terminal.run('accounts list')).out).toContain('rich')
})
