import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  expect((await limit('ann@example.com --daily 5 --budget-zone Asia/Tokyo')).out).toBe(
    'budgets of ann@example.com in acme: day 0.00/5.00, week 0.00/50.00\nrate limits of ann@example.com in acme: 90 tokens/min\n',
  )
  expect(
    (await limit('ann@example.com --weekly none --total 100 --requests-per-minute 6')).out,
  ).toBe(
    'budgets of ann@example.com in acme: total 0.00/100.00, day 0.00/5.00\nrate limits of ann@example.com in acme: 6 requests/min, 90 tokens/min\n',
  )
  expect((await terminal.run('members list acme')).out).toMatch(
    /^ann@example.com +member +total 0.00\/100.00, day 0.00\/5.00 +6 requests\/min, 90 tokens\/min$/m,
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
