import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { sealLine } from '../../../src/ledger/journal/journal-lines.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { type Terminal, terminals } from './run-line.ts'

const openTerminal = terminals({ hasDatabase: true })

/** A deployment with one account that has two credits and no requests. */
async function openShop(): Promise<Terminal> {
  const terminal = openTerminal()
  expect((await terminal.run('accounts create acme --credit 25')).code).toBe(0)
  expect((await terminal.run('accounts credit acme 1.5 --id bill-7 --reason paid')).code).toBe(0)
  return terminal
}

async function change({ cwd }: Terminal, text: string): Promise<void> {
  const engine = await openStore(`sqlite://${join(cwd, 'data', 'tollgate.db')}`)
  await sql.raw(text).execute(engine.db)
  await engine.close()
}

const takeSome = "UPDATE account SET available_nano = available_nano - 5 WHERE id = 'acme'"
const stop = `INSERT INTO audit_stop (account_id, found_at, findings, released_at)
  VALUES ('acme', 1790000000000, 'account acme: a finding', NULL)`

describe('tollgate audit', () => {
  test('a balanced ledger: prints the counts of checked records, exit code 0', async () => {
    const said = await (await openShop()).run('audit')
    expect(said).toEqual({
      code: 0,
      err: '',
      out: [
        'ok    L1  every charge is accounted for                 1 account, 0 keys',
        'ok    L2  one entry and one usage row for each request  0 entries, 0 usage rows',
        'ok    L8  every cost follows from usage and price       0 entries',
        'Every charge is accounted for.',
        '',
      ].join('\n'),
    })
  })

  test('an unbalanced ledger: lists the differences, exit code 1', async () => {
    const terminal = await openShop()
    await change(terminal, takeSome)
    const { code, out } = await terminal.run('audit')
    expect(code).toBe(1)
    expect(out).toContain('fail  L1')
    expect(out).toContain('L1  account acme: $0.000000005 is not accounted for\n')
    expect(out).toEndWith('The ledger does not balance.\n')
    expect(out).not.toContain('Every charge is accounted for.')
    const json = await terminal.run('audit --json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.out)).toMatchObject({
      inOrder: false,
      checks: [
        { rule: 'L1', wrong: 1 },
        { rule: 'L2', wrong: 0 },
        { rule: 'L8', wrong: 0 },
      ],
      refusedRecords: 0,
      damagedLines: 0,
      stops: [],
    })
  })

  test('refused records are reported', async () => {
    const terminal = await openShop()
    const folder = join(terminal.cwd, 'data', 'journal')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'refused.log'), sealLine('S', '[]') + sealLine('S', '[]'))
    const { code, out } = await terminal.run('audit')
    expect(code).toBe(1)
    expect(out).toContain('rejected because of their values: 2.')
  })

  test('a stopped account is reported, and released once', async () => {
    const terminal = await openShop()
    await change(terminal, stop)
    const told = await terminal.run('audit')
    expect(told.out).toContain('The account acme gets no leases: account acme: a finding')
    const released = await terminal.run('audit --release acme')
    expect(released).toMatchObject({ code: 0, err: '' })
    expect(released.out).toContain('account acme gets leases again')
    expect((await terminal.run('audit')).out).toContain('was released despite this difference')
    expect(await terminal.run('audit --release acme')).toEqual({
      code: 1,
      out: '',
      err: 'tollgate: The self-audit has not stopped an account "acme".\n',
    })
  })
})

describe('tollgate audit --account', () => {
  const world = { nowMs: () => Date.parse('2026-10-20T12:00:00Z') }

  async function openDated(): Promise<Terminal> {
    const terminal = await openShop()
    const first = Date.parse('2026-10-01T08:00:00Z')
    await change(terminal, `UPDATE account SET created_at = ${first}`)
    await change(
      terminal,
      `UPDATE credit SET created_at = ${first}, external_id = '1' WHERE external_id <> 'bill-7'`,
    )
    const second = Date.parse('2026-10-02T08:00:00Z')
    await change(terminal, `UPDATE credit SET created_at = ${second} WHERE external_id = 'bill-7'`)
    return terminal
  }

  test('the statement adds up, and the output confirms it', async () => {
    const said = await (await openDated()).run('audit --account acme', world)
    expect(said).toEqual({
      code: 0,
      err: '',
      out: [
        'Statement of account acme, from the beginning to now, in US$; days are UTC',
        '2026-10-01  credit cli 1: credit to start with  25.000000000',
        '2026-10-02  credit cli bill-7: paid              1.500000000',
        'balance                                         26.500000000',
        'of which reserved in leases                      0.000000000',
        'of which available                              26.500000000',
        'The lines add up exactly.',
        '',
      ].join('\n'),
    })
  })

  test('a reversal names the reason of its credit, and is not called a credit itself', async () => {
    const terminal = await openShop()
    expect((await terminal.run('accounts credit acme 5 --id slip')).code).toBe(0)
    expect((await terminal.run('accounts reverse acme slip --yes')).code).toBe(0)
    const { out } = await terminal.run('audit --account acme')
    const slip = 'added on the command line'
    expect(out).toMatch(new RegExp(`  credit cli slip: ${slip} +5\\.000000000\n`))
    expect(out).toMatch(
      new RegExp(`  reversal cli credit_\\S+: of the credit "${slip}" +-5\\.000000000\n`),
    )
    const json = JSON.parse((await terminal.run('audit --account acme --json')).out)
    expect(json.credits).toMatchObject([
      { isReversal: false },
      { isReversal: false },
      { externalId: 'slip', reason: slip, isReversal: false },
      { amount: '-5.00', reason: slip, isReversal: true },
    ])
  })

  test('a period: opening balance, and changes since its end', async () => {
    const terminal = await openDated()
    const line = 'audit --account acme --from 2026-10-02 --to 2026-10-03'
    const { code, out } = await terminal.run(line, world)
    expect(code).toBe(0)
    expect(out).toMatch(/balance before +25\.000000000\n/)
    expect(out).toMatch(/since then +0\.000000000\n/)
    const json = await terminal.run(`${line} --json --by key`, world)
    expect(JSON.parse(json.out)).toEqual({
      account: 'acme',
      from: '2026-10-02T00:00:00.000Z',
      to: '2026-10-03T00:00:00.000Z',
      opening: '25.00',
      credits: [
        {
          at: '2026-10-02T08:00:00.000Z',
          amount: '1.50',
          source: 'cli',
          externalId: 'bill-7',
          reason: 'paid',
          isReversal: false,
        },
      ],
      spending: [],
      closing: '26.50',
      since: '0.00',
      leased: '0.00',
      available: '26.50',
      addsUp: true,
      unexplained: '0.00',
    })
  })

  test('a statement that does not add up shows the difference, exit code 1', async () => {
    const terminal = await openDated()
    await change(terminal, takeSome)
    const { code, out } = await terminal.run('audit --account acme', world)
    expect(code).toBe(1)
    expect(out).toEndWith(
      'The lines do not add up: $0.000000005 is not accounted for; run "tollgate audit".\n',
    )
  })

  const wrong: [line: string, code: number, sentence: string][] = [
    ['audit --account nobody', 1, 'There is no account "nobody"; see "tollgate accounts list".'],
    ['audit --from 2026-10-01', 2, '--from needs --account.'],
    ['audit --account acme --by week', 2, '--by must be one of day, key, not "week".'],
    [
      'audit --account a --release a',
      2,
      '--release and --account cannot be used together; leave one of them out.',
    ],
    ['audit --account a --from 2026-10-02 --to 2026-10-02', 2, '--from must be before --to.'],
    [
      'audit --account a --to soon',
      2,
      '--to must be a date such as 2027-01-01, or a time such as 2027-01-01T00:00:00Z, not "soon".',
    ],
  ]
  test.each(wrong)('%s: exit code %i and one sentence', async (line, code, sentence) => {
    const said = await openTerminal().run(line)
    expect(said).toEqual({ code, out: '', err: `tollgate: ${sentence}\n` })
  })
})
