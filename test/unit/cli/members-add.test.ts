import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listAddresses } from '../../../src/cli/list-addresses.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { terminals } from './run-line.ts'

const newTerminal = terminals({ hasDatabase: true })

test('members add --file adds each address once, and can be repeated', async () => {
  const terminal = newTerminal()
  await terminal.run('accounts create acme --credit 1')
  await terminal.run('members add acme ann@example.com')
  await terminal.run('users create dan@example.com')
  const write = (text: string) => writeFileSync(join(terminal.cwd, 'team.txt'), text)
  const add = () => terminal.run('members add acme --file team.txt --monthly 20 --role viewer')

  write('bob@example.com\nnobody\n')
  expect(await add()).toMatchObject({
    code: 2,
    err: expect.stringContaining('Each word of --file must be an email address, not "nobody"'),
  })
  expect((await terminal.run('members list acme')).out).not.toContain('bob')

  write(
    'ann@example.com, BOB@example.com;Eve Doe <eve@example.com>\n\n  bob@example.com\n"Lee, Dan" <dan@example.com>\n',
  )
  const { code, out } = await add()
  expect(code).toBe(0)
  const lines = out.trimEnd().split('\n')
  const link = expect.stringMatching(/ {2}http:\/\/\S+\/console\/sign-in\S*#\S{43}$/)
  expect(lines).toEqual([
    'ann@example.com  is a member already',
    link,
    link,
    'dan@example.com  added; has a login already',
  ])
  expect(lines[1]).toStartWith('bob@example.com  ')
  const listed = (await terminal.run('members list acme')).out
  expect(listed).toMatch(/^bob@example.com +viewer +month 0.00\/20.00/m)
  expect(listed).toMatch(/^ann@example.com +member +none/m)
  expect((await add()).out).toBe(
    ['ann', 'bob', 'eve', 'dan']
      .map((name) => `${name}@example.com  is a member already\n`)
      .join(''),
  )
})

test('members add --file leaves people alone whom an owner has invited, unless the invitation has expired', async () => {
  const terminal = newTerminal()
  await terminal.run('accounts create acme --credit 1')
  const engine = await openStore(`sqlite://${join(terminal.cwd, 'data', 'tollgate.db')}`)
  const invited = { password_hash: 'own', role: 'member', created_at: 1, invited_to: 'acme' }
  const nowMs = Date.now()
  for (const [name, invitedAtMs, seenAtMs] of [
    ['opened', 1, 2],
    ['waiting', nowMs, null],
    ['late', 1, null],
  ] as const) {
    const email = `${name}@example.com`
    const user = { ...invited, id: name, email: `${email} ${name}`, invited_email: email }
    await engine.db
      .insertInto('console_user')
      .values({ ...user, invited_at: invitedAtMs, seen_at: seenAtMs })
      .execute()
    await engine.db
      .insertInto('membership')
      .values({ user_id: name, account_id: 'acme', role: 'member' })
      .execute()
  }
  const emails = ['opened', 'waiting', 'late'].map((name) => `${name}@example.com`)
  writeFileSync(join(terminal.cwd, 'team.txt'), emails.join('\n'))
  const { code, out } = await terminal.run('members add acme --file team.txt')
  expect([code, out.trimEnd().split('\n')]).toEqual([
    0,
    [
      'opened@example.com   is a member already',
      'waiting@example.com  is invited already; for a new link: tollgate members add acme waiting@example.com',
      expect.stringMatching(/^late@example.com {5}http\S+#\S{43}$/),
    ],
  ])
  const kept = engine.db.selectFrom('console_user').select('id').where('password_hash', '=', 'own')
  expect((await kept.orderBy('id').execute()).map(({ id }) => id)).toEqual(['opened', 'waiting'])
  await engine.close()
})

test.each([
  ['lines of Windows', 'a@x.org\r\nb@x.org\r\n', ['a@x.org', 'b@x.org']],
  ['names', 'Ann Lee <a@x.org>, Bob <b@x.org>', ['a@x.org', 'b@x.org']],
  ['a comma in a quoted name', '"Lee, Ann" <a@x.org>, b@x.org', ['a@x.org', 'b@x.org']],
  ['a comma in a name', 'Lee, Ann <a@x.org>; Doe, Bob <b@x.org>;', ['a@x.org', 'b@x.org']],
  ['an address as the name', "'a@x.org' <a@x.org>; b@x.org", ['a@x.org', 'a@x.org', 'b@x.org']],
  ['a column of a table', '"a@x.org"\n"b@x.org"', ['a@x.org', 'b@x.org']],
  ['two addresses beside one name', 'a@x.org Bob <b@x.org>', ['a@x.org', 'b@x.org']],
  // These are refused later.
  ['a word that is no address', 'a@x.org nobody', ['a@x.org', 'nobody']],
  ['brackets without an address', 'Ann <nobody>, Bob <>', ['nobody', '']],
])('a list of addresses with %s', (_name, text, addresses) =>
  expect(listAddresses(text)).toEqual(addresses),
)

test.each([
  ['members add acme', 'needs EMAIL or --file'],
  ['members add acme ann@example.com --file team.txt', 'needs EMAIL or --file'],
  [
    'members add acme --file missing.txt',
    'The file of --file cannot be read (ENOENT): missing.txt',
  ],
  ['members add acme --file empty.txt', 'The file of --file has no email addresses'],
])('%s: an invalid command line', async (line, said) => {
  const terminal = newTerminal()
  writeFileSync(join(terminal.cwd, 'empty.txt'), ' \n')
  writeFileSync(join(terminal.cwd, 'team.txt'), 'bob@example.com')
  expect(await terminal.run(line)).toMatchObject({ code: 2, err: expect.stringContaining(said) })
})

test('a refusal names the address', async () => {
  const terminal = newTerminal()
  writeFileSync(join(terminal.cwd, 'team.txt'), 'bob@example.com')
  const { code, err } = await terminal.run('members add nope --file team.txt')
  expect([code, err]).toEqual([1, expect.stringContaining('bob@example.com: There is no account')])
})
