import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { terminals } from './run-line.ts'

/* A secret on the command line is visible in process lists and shell histories; a file or standard input is not. */

const newTerminal = terminals({ hasDatabase: true })
const url = 'https://hooks.example.com/services/T000/hush'
const alert = 'alerts create --name ops --kind credit_low --credit-below 5'
const signed = 'a-secret-of-thirty-two-characters'

test('a file or standard input holds the URL and the secret of an alert', async () => {
  const terminal = newTerminal()
  writeFileSync(join(terminal.cwd, 'url.txt'), `${url}\n`)
  const readInput = async () => `${signed}\n`
  const created = await terminal.run(
    `${alert} --channel webhook --webhook-url-file url.txt --signing-secret-file -`,
    { readInput },
  )
  expect([created.code, created.err]).toEqual([0, ''])
  const id = /^id +(\S+)$/m.exec(created.out)?.[1] ?? ''
  expect((await terminal.run('alerts list')).out).toContain('hooks.example.com')
  writeFileSync(join(terminal.cwd, 'url.txt'), 'https://other.example.com/hush')
  const changed = await terminal.run(`alerts update ${id} --webhook-url-file url.txt`)
  expect(changed).toEqual({ code: 0, out: `alert ${id} changed: webhook-url\n`, err: '' })
  const listed = (await terminal.run('alerts list')).out
  expect(listed).toContain('other.example.com')
  expect(listed).not.toContain('hush')
})

test('a file holds the value of a new key', async () => {
  const terminal = newTerminal()
  await terminal.run('accounts create acme --credit 1')
  const value = 'an-existing-value-of-a-key-0123456789'
  writeFileSync(join(terminal.cwd, 'value.txt'), `${value}\n`)
  const { code, out } = await terminal.run(
    'keys create --account acme --name ci --value-file value.txt',
  )
  expect([code, out]).toEqual([0, expect.stringContaining(value)])
})

test.each([
  ['--webhook-url-file url.txt --webhook-url https://a.example.com', 'either --webhook-url or'],
  ['--webhook-url-file missing.txt', 'The file of --webhook-url-file cannot be read (ENOENT)'],
  ['--webhook-url-file empty.txt', 'The file of --webhook-url-file is empty'],
  ['--webhook-url-file -', '--webhook-url-file - reads from standard input, but there is none'],
  ['--webhook-url-file - --signing-secret-file -', 'Only one flag can read standard input'],
  ['--webhook-url-file - --url https://gw.example.com --token-file -', 'Only one flag can read'],
  ['--webhook-url-file wrong.txt', '--webhook-url must be'],
])('alerts create %s: an invalid command line', async (flags, said) => {
  const terminal = newTerminal()
  writeFileSync(join(terminal.cwd, 'url.txt'), url)
  writeFileSync(join(terminal.cwd, 'empty.txt'), ' \n')
  writeFileSync(join(terminal.cwd, 'wrong.txt'), 'hush')
  const { code, err } = await terminal.run(`${alert} --channel slack ${flags}`)
  expect([code, err]).toEqual([2, expect.stringContaining(said)])
  expect(err).not.toContain('hush')
})

test('the help names the file of each secret, and says why', async () => {
  const terminal = newTerminal()
  for (const [command, flag] of [
    ['alerts create', 'webhook-url'],
    ['alerts update', 'signing-secret'],
    ['keys create', 'value'],
  ] as const) {
    const { out } = await terminal.run(`${command} --help`)
    expect(out).toContain(`--${flag}-file FILE`)
    expect(out).toMatch(new RegExp(`--${flag} TEXT .*Other users of the machine can see it`))
  }
})
