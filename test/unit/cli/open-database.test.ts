import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explainStore } from '../../../src/app/database/explain-store.ts'
import { freePort } from '../../../tools/testing/free-port.mjs'
import { terminals } from './run-line.ts'

const openTerminal = terminals()

test('the secret is created once, for its owner only, and found again', async () => {
  const { cwd, run } = openTerminal()
  expect((await run('accounts list')).code).toBe(0)
  const path = join(cwd, 'data', 'secret')
  const secret = readFileSync(path, 'utf8')
  expect(secret.trim()).toMatch(/^[\w-]{43}$/)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect((await run('accounts list')).code).toBe(0)
  expect(readFileSync(path, 'utf8')).toBe(secret)
})

test('many processes that start at once use one secret', async () => {
  const { run } = openTerminal()
  const all = await Promise.all(Array.from({ length: 4 }, () => run('accounts list')))
  expect(all.map(({ err }) => err)).toEqual(['', '', '', ''])
})

test('a database is not opened with another secret, and no secret is left behind', async () => {
  const { cwd, run } = openTerminal()
  await run('accounts list')
  const path = join(cwd, 'data', 'secret')
  const other = 'another secret that is long enough for all'
  expect((await run('accounts list', { env: { TOLLGATE_SECRET: other } })).err).toBe(
    'tollgate: The database was created with a different secret than the one in the setting secret; restore the old secret, otherwise its keys and credentials cannot be read.\n',
  )
  rmSync(path)
  expect((await run('accounts list')).err).toBe(
    `tollgate: The database was created with a secret, but ${path} does not exist; restore the file, or set TOLLGATE_SECRET.\n`,
  )
  expect(existsSync(path)).toBe(false)
  writeFileSync(path, 'short')
  expect((await run('accounts list')).err).toBe(
    `tollgate: The secret file ${path} has fewer than 32 characters; restore it from a backup, or set TOLLGATE_SECRET.\n`,
  )
})

test('a data folder or database below a file, a folder in place of a file, a file that is not a database', async () => {
  const { cwd, run } = openTerminal()
  const file = join(cwd, 'file')
  writeFileSync(file, 'this is no database, whatever its name says')
  mkdirSync(join(cwd, 'folder'))
  const rows: [string, string][] = [
    [
      '--data file/below',
      `The data folder ${file}/below cannot be created, because a part of its path is a file; name another with --data.`,
    ],
    [
      '--database sqlite://file/below.db',
      `The database file ${file}/below.db cannot be created, because a part of its path is a file; name another with --database.`,
    ],
    [
      '--database sqlite://folder',
      `The database file ${cwd}/folder cannot be opened; check that it is a file and that this user may read and write it and its folder.`,
    ],
    [
      '--database sqlite://file',
      `The database file ${file} is damaged or is not a SQLite database; restore it from a backup, or name another with --database.`,
    ],
  ]
  for (const [flags, sentence] of rows) {
    const said = await run(`accounts list ${flags}`)
    expect(said).toEqual({ code: 1, out: '', err: `tollgate: ${sentence}\n` })
  }
})

test('an unreachable Postgres', async () => {
  const port = await freePort()
  const { code, err } = await openTerminal().run(
    `accounts list --database postgres://u:hidden@127.0.0.1:${port}/d`,
  )
  expect(code).toBe(1)
  expect(err).toContain(
    `The Postgres server at postgres://u:••••••@127.0.0.1:${port}/d cannot be reached`,
  )
  expect(err).not.toContain('hidden')
})

describe('errors of drivers become one sentence', () => {
  const rows: [string, string, string][] = [
    [
      'sqlite:///d.db',
      'database is locked',
      'The database file /d.db is locked by another program; stop that program and try again.',
    ],
    [
      'sqlite:///d.db',
      'attempt to write a readonly database',
      'The database file /d.db is not writable by this user; change its permissions, or name another with --database.',
    ],
    [
      'sqlite:///d.db',
      'database or disk is full',
      'The disk of the database file /d.db is full; free some space.',
    ],
    ['sqlite:///d.db', 'odd.', 'The database file /d.db cannot be used: odd.'],
    [
      'postgres://u:hidden@h/d',
      'password authentication failed for user "u"',
      'The Postgres server at postgres://u:••••••@h/d rejects the user or the password; correct them in the database setting.',
    ],
    [
      'postgres://u:hidden@h/d',
      'database "d" does not exist',
      'The Postgres server at postgres://u:••••••@h/d has no such database; create it first.',
    ],
  ]
  for (const [url, message, sentence] of rows) {
    test(message, () => expect(explainStore(url, new Error(message)).message).toBe(sentence))
  }
})
