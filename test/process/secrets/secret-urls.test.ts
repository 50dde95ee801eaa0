import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { SQL } from 'bun'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runHere,
  startTollgate,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'
import { redisPath, startRedis } from '../../support/redis/start-redis.ts'

/* The URLs of the database and of the server for rate limits are references that change while the gateway runs. */

cleanUpAfterwards()

const timeoutMs = patience(90_000)
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
  upstream.script({}, { kind: 'late', afterMs: answerAfterMs, of: { kind: 'demo' } })
})
afterAll(() => upstream.stop())

function workspaceWith(files: Readonly<Record<string, string>>, extra: object): Workspace {
  const config = shopConfig(upstream.url, { replica: 'one', ...extra }) as {
    provision: { accounts: object[] }
  }
  // A limit that is counted but never refuses a request.
  const accounts = config.provision.accounts.map((each) => ({ ...each, requestsPerMinute: 1e6 }))
  const workspace = makeWorkspace({ ...config, provision: { ...config.provision, accounts } })
  for (const [name, text] of Object.entries(files)) writeFileSync(workspace.path(name), text)
  return workspace
}

async function status(gateway: { readonly url: string }): Promise<number> {
  const answer = await askShop(gateway.url)
  await answer.text()
  return answer.status
}

/** Most callers wait for an answer at any moment, so a change always meets requests under way. */
const answerAfterMs = 300
const callerCount = 4

/** Requests of each caller one after the other, a moment apart; `end` returns the answers that were not 200. */
function callAlways(gateway: { readonly url: string }) {
  const others: number[] = []
  let isOver = false
  const call = async (): Promise<void> => {
    while (!isOver) {
      const code = await status(gateway)
      if (code !== 200) others.push(code)
      await sleep(20)
    }
  }
  const calls = Array.from({ length: callerCount }, call)
  return async () => {
    isOver = true
    await Promise.all(calls)
    return others
  }
}

const failures = (text: string) => text.split('"secret_not_read"').length - 1

const ofPostgres = 'the user of the database changes under load'
if (postgresServerUrl(ofPostgres) !== undefined) {
  test(
    ofPostgres,
    async () => {
      const database = await freshDatabase({ isEmpty: true })
      const admin = new SQL(database.url, { max: 1 })
      const [former, next, stranger] = ['a', 'b', 'c'].map((each) => `${database.name}_${each}`)
      const urlOf = (user: string | undefined, path = `/${database.name}`) => {
        const { host } = new URL(database.url)
        return `postgres://${user}:a-password-${user}@${host}${path}`
      }
      const users = async (): Promise<string[]> => {
        const rows = await admin.unsafe(`SELECT DISTINCT usename FROM pg_stat_activity
          WHERE datname = current_database() AND usename LIKE 'tollgate_test_%' ORDER BY 1`)
        return rows.map(({ usename }: { usename: string }) => usename)
      }
      try {
        const withPassword = (user: string | undefined) => `${user} PASSWORD 'a-password-${user}'`
        await admin.unsafe(`CREATE ROLE ${withPassword(former)} LOGIN;
          CREATE ROLE ${withPassword(stranger)} LOGIN;
          CREATE ROLE ${withPassword(next)} NOLOGIN IN ROLE ${former};
          ALTER DATABASE ${database.name} OWNER TO ${former}; GRANT ALL ON SCHEMA public TO ${former}`)
        const workspace = workspaceWith(
          { 'database-url': `${urlOf(former)}\n` },
          { database: 'file:database-url' },
        )
        const write = (url: string) => writeFileSync(workspace.path('database-url'), url)
        const gateway = await startTollgate(workspace)
        const end = callAlways(gateway)
        await eventually(
          'the gateway uses the former user',
          async () => (await users()).length === 1,
        )

        // A URL that the server does not accept, or that names another database, changes nothing.
        const refused = [
          [urlOf(next), 'is not permitted to log in'],
          [urlOf(stranger), 'may not write'],
          [urlOf(former, '/postgres'), 'only the user and the password of database can change'],
        ] as const
        for (const [index, [url, why]] of refused.entries()) {
          write(url)
          await eventually(why, () => failures(gateway.stderr()) === index + 1)
          expect(gateway.stderr()).toContain(why)
          // The session that tried the URL may still be closing.
          await eventually('only the former user is left', async () => {
            const [only, ...others] = await users()
            return only === former && others.length === 0
          })
        }
        write(urlOf(next))
        await eventually('the user is refused again', () => failures(gateway.stderr()) === 4)
        const told = await eventually('doctor knows of the failure', async () => {
          const { stdout } = await runHere(
            { ...workspace, env: { ...workspace.env, TOLLGATE_DATABASE: urlOf(former) } },
            ['doctor'],
          )
          return /^fail +secrets +one uses the former value of file:database-url/m.test(stdout)
            ? stdout
            : undefined
        })

        await admin.unsafe(`ALTER ROLE ${next} LOGIN`)
        await eventually('the new user is in force', () =>
          gateway.stderr().includes('"event":"secret_changed","secret":"file:database-url"'),
        )
        // No session of the former user is left or needed.
        await eventually('no session of the former user is left', async () => {
          const [only, ...others] = await users()
          return only === next && others.length === 0
        })
        await admin.unsafe(`ALTER ROLE ${former} NOLOGIN`)
        await admin.unsafe(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE usename = '${next}'`)
        await eventually(
          'new sessions are of the new user',
          async () => (await users()).length === 1,
        )
        expect(await status(gateway)).toBe(200)
        expect(await end()).toEqual([])
        expect((await runHere(workspace, ['audit'])).code).toBe(0)
        const checked = await runHere(workspace, ['doctor'])
        expect(checked.stdout).toMatch(/^ok +secrets +file:database-url is readable/m)
        gateway.signal('SIGINT')
        expect(await gateway.exited).toBe(0)
        for (const text of [told, checked.stdout, gateway.stderr(), gateway.stdout()])
          expect(text).not.toContain('a-password')
      } finally {
        await admin.close()
        await database.drop()
        const server = new SQL(process.env['TEST_POSTGRES_URL'] ?? '', { max: 1 })
        await server.unsafe(`DROP ROLE IF EXISTS ${next}, ${former}, ${stranger}`)
        await server.close()
      }
    },
    timeoutMs,
  )
}

const ofLateReference = 'the database refuses its user before the reference names the next one'
if (postgresServerUrl(ofLateReference) !== undefined) {
  test(
    ofLateReference,
    async () => {
      const servedBefore = upstream.requests.length
      const database = await freshDatabase({ isEmpty: true })
      const admin = new SQL(database.url, { max: 1 })
      const [former, next] = ['d', 'e'].map((each) => `${database.name}_${each}`)
      const urlOf = (user: string | undefined) =>
        `postgres://${user}:a-password-${user}@${new URL(database.url).host}/${database.name}`
      const sessionsOf = async (user: string | undefined): Promise<number> => {
        const [row] = await admin.unsafe(
          `SELECT count(*)::int AS left FROM pg_stat_activity WHERE usename = '${user}'`,
        )
        return row.left
      }
      try {
        await admin.unsafe(`CREATE ROLE ${former} LOGIN PASSWORD 'a-password-${former}';
          CREATE ROLE ${next} LOGIN PASSWORD 'a-password-${next}' IN ROLE ${former};
          ALTER DATABASE ${database.name} OWNER TO ${former}; GRANT ALL ON SCHEMA public TO ${former}`)
        const files = { 'database-url': `${urlOf(former)}\n` }
        const workspace = workspaceWith(files, { database: 'file:database-url' })
        const gateway = await startTollgate(workspace)
        const end = callAlways(gateway)
        await eventually('the gateway serves', async () => (await status(gateway)) === 200)

        // The server ends all sessions of the user and refuses new ones, with an error of class 28.
        await admin.unsafe(`ALTER ROLE ${former} NOLOGIN`)
        await admin.unsafe(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${former}'`,
        )
        await eventually('no session is left', async () => (await sessionsOf(former)) === 0)
        const before = upstream.requests.length
        await eventually(
          'requests go on without the database',
          () => upstream.requests.length > before + 2 * callerCount,
        )
        expect(await sessionsOf(former)).toBe(0)

        writeFileSync(workspace.path('database-url'), urlOf(next))
        await eventually(
          'sessions of the next user',
          async () => (await sessionsOf(next)) > 0 && (await status(gateway)) === 200,
        )
        expect(await end()).toEqual([])
        expect(gateway.stderr()).toContain('"event":"secret_changed","secret":"file:database-url"')
        gateway.signal('SIGINT')
        expect(await gateway.exited).toBe(0)
        const audited = await runHere(workspace, ['audit'])
        expect([audited.code, audited.stdout]).toEqual([0, expect.stringContaining('ok')])
        const [charged] = await admin.unsafe('SELECT count(*)::int AS entries FROM entry')
        expect(charged.entries).toBe(upstream.requests.length - servedBefore)
        expect(gateway.stderr() + gateway.stdout()).not.toContain('a-password')
      } finally {
        await admin.close()
        await database.drop()
        const server = new SQL(process.env['TEST_POSTGRES_URL'] ?? '', { max: 1 })
        await server.unsafe(`DROP ROLE IF EXISTS ${next}, ${former}`)
        await server.close()
      }
    },
    timeoutMs,
  )
}

const ofRedis = 'the password of the server of rate limits changes under load'
const path = redisPath(ofRedis)
if (path !== undefined) {
  test(
    ofRedis,
    async () => {
      const redis = await startRedis(path, { password: 'one @ two' })
      const urlOf = (password: string) => {
        const url = new URL(redis.url)
        url.password = password
        return url.href
      }
      const workspace = workspaceWith(
        { 'limits-url': redis.url },
        { limits: 'file:limits-url', limitsFallback: 'refuse' },
      )
      const write = (url: string) => writeFileSync(workspace.path('limits-url'), url)
      const gateway = await startTollgate(workspace)
      try {
        const end = callAlways(gateway)
        write(urlOf('wrong'))
        await eventually('it is refused', () => failures(gateway.stderr()) === 1)
        expect(gateway.stderr()).toContain('WRONGPASS')
        write(redis.url.replace(/\d+$/, '1'))
        await eventually('another server is refused', () => failures(gateway.stderr()) === 2)

        await redis.send('CONFIG', 'SET', 'requirepass', 'three / four')
        write(urlOf('three / four'))
        await eventually('the new password is in force', () =>
          gateway.stderr().includes('"event":"secret_changed","secret":"file:limits-url"'),
        )
        expect(await end()).toEqual([])
        // A new connection uses the new password.
        const lost = '"rate_limits_server_lost"'
        expect(gateway.stderr()).not.toContain(lost)
        await redis.kill()
        await eventually('the server is lost', async () => (await status(gateway)) === 503)
        await redis.start()
        await eventually('the former password is refused', () => gateway.stderr().includes(lost))
        expect(await status(gateway)).toBe(503)
        await redis.send('CONFIG', 'SET', 'requirepass', 'three / four')
        await eventually('it is connected again', async () => (await status(gateway)) === 200)
        for (const text of ['one @ two', 'one%20', 'three / four', 'three%20'])
          expect(gateway.stderr() + gateway.stdout()).not.toContain(text)
      } finally {
        gateway.signal('SIGINT')
        expect(await gateway.exited).toBe(0)
        await redis.stop()
      }
    },
    timeoutMs,
  )
}
