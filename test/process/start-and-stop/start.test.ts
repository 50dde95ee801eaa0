import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { missingPart } from '../../support/missing-part.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runHere,
  runTollgate,
  startTollgate,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

describe('the first start', () => {
  if (Bun.which('curl') === null || Bun.which('bash') === null) {
    missingPart('process: the printed curl command', 'no curl or no bash')
  } else {
    test('prints a curl command that works unchanged, and the key works after a restart', async () => {
      const workspace = makeWorkspace()
      const first = await startTollgate(workspace)
      const line = /^curl .*$/m.exec(first.stdout())?.[0] ?? ''
      const curl = Bun.spawn(['bash', '-c', `${line} --silent --show-error`], { stdout: 'pipe' })
      const answer = await new Response(curl.stdout).text()
      expect(await curl.exited).toBe(0)
      expect(JSON.parse(answer)).toMatchObject({
        choices: [{ message: { content: expect.stringContaining('Hello!') } }],
      })
      const key = /sk-[A-Za-z0-9]{48}/.exec(first.stdout())?.[0] ?? ''
      first.signal('SIGTERM')
      expect(await first.exited).toBe(0)
      // The key is printed to the terminal, and appears in no log.
      expect(first.stderr()).not.toContain(key)

      const second = await startTollgate(workspace)
      expect(second.stdout()).toContain(key)
      const body = { model: 'demo-small', messages: [{ role: 'user', content: 'Again' }] }
      const again = await askShop(second.url, { key, body })
      expect(again.status).toBe(200)
      second.signal('SIGTERM')
      expect(await second.exited).toBe(0)
    })
  }

  test('prints a sign-in link for the console', async () => {
    const gateway = await startTollgate(makeWorkspace())
    expect(gateway.stdout()).toMatch(/Console +http:\/\/127\.0\.0\.1:\d+\/console\//)
    const page = await fetch(`${gateway.url}/console/`)
    expect(page.status).toBeLessThan(500)
    await page.text()
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(0)
  })
})

describe('a start that must fail', () => {
  let taken: Bun.Server<undefined>
  let upstream: FakeUpstream
  beforeAll(async () => {
    upstream = await startFakeUpstream()
    taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('mine') })
  })
  afterAll(async () => {
    await taken.stop(true)
    await upstream.stop()
  })

  interface Row {
    readonly why: string
    readonly flags: () => string[]
    readonly says: RegExp
    readonly prepare?: (path: (name: string) => string) => void
  }
  const rows: Row[] = [
    {
      why: 'the port is in use',
      flags: () => ['--listen', `127.0.0.1:${taken.port}`],
      says: /is taken by another program: .* --listen/,
    },
    {
      why: 'the address does not belong to this machine',
      flags: () => ['--listen', '203.0.113.1:8080'],
      says: /203\.0\.113\.1:8080 cannot be opened.*--listen/,
    },
    {
      why: 'the config file does not exist',
      flags: () => ['--config', 'no-such.yaml'],
      says: /no-such\.yaml .*does not exist/,
    },
    {
      why: 'the config file is a folder',
      flags: () => ['--config', 'folder'],
      prepare: (path) => mkdirSync(path('folder')),
      says: /folder .*is a folder; name a file/,
    },
    {
      why: 'the config file is not YAML',
      flags: () => ['--config', 'broken.yaml'],
      prepare: (path) => writeFileSync(path('broken.yaml'), 'listen: [127.0.0.1'),
      says: /broken\.yaml/,
    },
    {
      why: 'a setting is mistyped',
      flags: () => ['--config', 'odd.yaml'],
      prepare: (path) => writeFileSync(path('odd.yaml'), 'lisen: 127.0.0.1:0\n'),
      says: /odd\.yaml:1.*lisen.*listen/,
    },
    {
      why: 'a key names a group that does not exist',
      flags: () => ['--config', 'odd.yaml'],
      prepare: (path) =>
        writeFileSync(
          path('odd.yaml'),
          'provision:\n  accounts: [{ id: a }]\n  keys: [{ id: k, account: a, groups: [nowhere] }]\n',
        ),
      says: /nowhere/,
    },
    {
      why: 'the data folder is a file',
      flags: () => ['--data', 'file'],
      prepare: (path) => writeFileSync(path('file'), ''),
      says: /data folder .*file.*--data/,
    },
    {
      why: 'the data folder cannot be created',
      flags: () => ['--data', '/proc/tollgate'],
      says: /data folder \/proc\/tollgate .*--data/,
    },
    {
      why: 'the database file is not a database',
      flags: () => ['--database', 'sqlite://words.db'],
      prepare: (path) =>
        writeFileSync(path('words.db'), 'not a database, but long enough '.repeat(200)),
      says: /words\.db is damaged or is not a SQLite database/,
    },
    {
      why: 'Postgres is not reachable',
      flags: () => ['--database', 'postgres://someone:hush@127.0.0.1:1/none'],
      says: /Postgres server at postgres:\/\/.*cannot be reached/,
    },
    {
      why: 'the secret is not the one of the database',
      flags: () => ['--secret', 'another-secret-that-is-long-enough-0123'],
      says: /a different secret/,
    },
  ]

  test.each(rows)('$why: prints one sentence, exit code 1', async ({ flags, says, prepare }) => {
    const workspace = makeWorkspace(shopConfig(upstream.url))
    // The database exists already, so that only one thing is wrong.
    expect((await runHere(workspace, ['apply'])).code).toBe(0)
    prepare?.(workspace.path)
    const { code, stdout, stderr } = await runTollgate(workspace, ['serve', ...flags()])
    expect(stderr).toMatch(says)
    expect(stderr).toMatch(/^tollgate: [^\n]+[.?]\n$/)
    expect(stderr).not.toContain('hush')
    expect(stdout).toBe('')
    expect(code).toBe(1)
  })
})
