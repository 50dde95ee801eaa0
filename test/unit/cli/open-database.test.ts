import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explainStore } from '../../../src/app/database/explain-store.ts'
import { DatabaseTimeout } from '../../../src/store/engine.ts'
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
  const postgres = 'postgres://u:hidden@h/d'
  const at = 'postgres://u:••••••@h/d'
  const server = `The Postgres server at ${at}`
  const rejected = `${server} rejects the user or the password; correct them in the database setting.`
  const unreached = `${server} cannot be reached; check that it runs and that the host and port are correct (why).`
  const rows: [string, object, string][] = [
    [
      'sqlite:///d.db',
      { code: 'SQLITE_BUSY' },
      'The database file /d.db is locked by another program; stop that program and try again.',
    ],
    [
      'sqlite:///d.db',
      { code: 'SQLITE_READONLY_DBMOVED' },
      'The database file /d.db is not writable by this user; change its permissions, or name another with --database.',
    ],
    [
      'sqlite:///d.db',
      { code: 'SQLITE_FULL' },
      'The disk of the database file /d.db is full; free some space.',
    ],
    [
      'sqlite:///d.db',
      { code: 'SQLITE_IOERR_SHMSIZE' },
      'The disk of the database file /d.db is full or faulty; check its free space, then its health (why).',
    ],
    ['sqlite:///d.db', {}, 'The database file /d.db cannot be used (why).'],
    [postgres, { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '28P01' }, rejected],
    [postgres, { cause: Object.assign(new Error('why'), { errno: '28000' }) }, rejected],
    [
      postgres,
      { errno: '53100' },
      `The disk of the Postgres server at ${at} is full; free some space.`,
    ],
    [
      postgres,
      { errno: '25006' },
      `The Postgres database at ${at} is read-only: name the primary server in the database setting, or allow writes to the database.`,
    ],
    [postgres, { errno: '3D000' }, `${server} has no such database; create it first.`],
    [postgres, { code: 'ERR_POSTGRES_CONNECTION_REFUSED' }, unreached],
    [postgres, { code: 'ETIMEDOUT' }, unreached],
    // The server starts.
    [postgres, { errno: '57P03' }, unreached],
    [postgres, { errno: '53300' }, 'The database at postgres://u:••••••@h/d cannot be used (why).'],
  ]
  test.each(rows)('%s %p', (url, codes, sentence) => {
    const error = Object.assign(new Error('why'), codes)
    expect(explainStore(url, error).message).toBe(sentence)
  })

  test('a pool that waits in vain', () => {
    expect(explainStore(postgres, new DatabaseTimeout('why')).message).toBe(unreached)
  })
})

test.each([
  ['sqlite:///d.db', { code: 'SQLITE_FULL' }, 'The disk of the database file /d.db is full'],
  ['sqlite:///d.db', { code: 'SQLITE_READONLY' }, 'The database file /d.db is not writable'],
  ['postgres://u:hidden@h/d', { errno: '53100' }, 'The disk of the Postgres server at postgres:'],
  ['postgres://u:hidden@h/d', { errno: '25006' }, 'The Postgres database at postgres:'],
])('%s that can be opened and not be written stops the start: %p', async (url, codes, sentence) => {
  const cause = Object.assign(new Error('why'), codes)
  const serve = () => Promise.reject(new Error('no write', { cause }))
  const { code, err } = await openTerminal().run(`serve --database ${url}`, { serve })
  expect([code, err.split('\n')]).toEqual([1, [expect.stringContaining(sentence), '']])
  expect(err).not.toContain('hidden')
})

test('any other error of a start is a defect, and shows where it happened', async () => {
  const serve = () => Promise.reject(new Error('no such table: lease'))
  const { code, err } = await openTerminal().run('serve', { serve })
  expect(code).toBe(1)
  expect(err).toMatch(/^tollgate: Error: no such table: lease\n +at /)
})
