import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { asFault } from '../../../src/core/fault.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { GroupCommit } from '../../../src/store/units/group-commit.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'

const name = 'store: a COMMIT whose answer is lost'

/** A proxy that forwards everything. When armed, it drops the answer to the next COMMIT and closes the connection. */
async function commitEater(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const state = { isArmed: false }
  const sockets = new Set<Socket>()
  const listener = createServer((client) => {
    const server = connect(Number(target.port || 5432), target.hostname)
    let isLast = false
    client.on('data', (bytes) => {
      if (state.isArmed && bytes.includes('COMMIT\0')) {
        state.isArmed = false
        isLast = true
      }
      server.write(bytes)
    })
    server.on('data', (bytes) => {
      if (isLast) client.destroy()
      else client.write(bytes)
    })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const url = Object.assign(new URL(databaseUrl), {
    hostname: '127.0.0.1',
    port: String((listener.address() as AddressInfo).port),
  }).href
  const stop = (): void => {
    for (const socket of sockets) socket.destroy()
    listener.close()
  }
  return { url, stop, arm: () => Object.assign(state, { isArmed: true }) }
}

async function withFixture(
  check: (engine: Engine, arm: () => void) => Promise<void>,
): Promise<void> {
  const database = await freshDatabase()
  const eater = await commitEater(database.url)
  const engine = await openStore(eater.url)
  try {
    await migrate(engine, migrations, 1)
    await check(engine, eater.arm)
  } finally {
    await engine.close()
    eater.stop()
    await database.drop()
  }
}

async function factsOf({ db }: Engine): Promise<string[]> {
  const rows = await db.selectFrom('fact').select('name').where('name', 'like', 'new-%').execute()
  return rows.map((row) => row.name)
}

if (postgresServerUrl(name) !== undefined) {
  describe(name, () => {
    test('a change is not made twice: the caller gets an error that says that the outcome is unknown', async () => {
      await withFixture(async (engine, arm) => {
        let tries = 0
        arm()
        const outcome = await write(engine, 1, async ({ tx }) => {
          tries += 1
          await tx
            .insertInto('fact')
            .values({ name: `new-${tries}`, value: 'A' })
            .execute()
        }).then(() => undefined, asFault)
        expect(outcome).toMatchObject({ code: 'unavailable', status: 503 })
        expect(outcome?.details.operatorMessage).toContain('may have been saved')
        expect(await factsOf(engine)).toEqual(['new-1'])
      })
    })

    test('a unit of the ledger is repeated, because repeating it is safe', async () => {
      await withFixture(async (engine, arm) => {
        arm()
        const values = ['new-1', 'A'] as const
        await new GroupCommit(engine).run({
          statements: [
            { sql: 'INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', values },
          ],
        })
        expect(await factsOf(engine)).toEqual(['new-1'])
      })
    })
  })
}
