import { describe, expect, test } from 'bun:test'
import { setKeyEnabled } from '../../../src/keys/key-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import {
  body,
  clients,
  costNano,
  lengthOf,
  occupy,
  queue,
  untilWaiting,
  usage,
  waitingTests,
  withPriorities,
} from './queue-helpers.ts'

/* A wait does not touch the database, so a part of the tests on SQLite is enough here. */

const some = ['chat-completions as a stream', 'messages']

if (postgresServerUrl('the queue on Postgres') !== undefined) {
  describe('the queue on Postgres', () => {
    const options = { extend: withPriorities, engine: 'postgres' } as const
    const gateway = withGateway({ ...options, queue })
    const without = withGateway(options)

    waitingTests(
      clients.filter(([name]) => some.includes(name)),
      gateway,
      without,
    )

    test('requests of several keys wait, and each is answered and charged once', async () => {
      const { ask, one, money } = gateway()
      one.script({}, { kind: 'lie-usage', usage })
      const { running, release } = await occupy(gateway())
      const before = await money.counts()
      const keys = ['local', 'expiring', 'tight'] as const
      const asked = keys.map((key) => ask({ key, body: body() }))
      await untilWaiting(gateway(), keys.length)
      release()
      const replies = await Promise.all([running, ...asked])
      for (const { status, requestId } of replies) {
        expect(status).toBe(200)
        expect((await money.entry(requestId)).cost_nano).toBe(costNano)
      }
      expect(lengthOf(gateway())).toBe(0)
      const after = await money.counts()
      expect([after.entries - before.entries, after.rows - before.rows]).toEqual([4, 4])
    })

    test('a request whose key is disabled while it waits is refused when its turn comes', async () => {
      const { ask, one, money, engine, node } = gateway()
      const { running, release } = await occupy(gateway())
      const waiting = ask({ key: 'expiring', body: body() })
      await untilWaiting(gateway(), 1)
      await write(engine, Date.now(), (writing) => setKeyEnabled(writing, 'expiring', false))
      await node.follower.catchUp()
      release()
      expect((await running).status).toBe(200)
      const refused = await waiting
      expect(refused.status).toBe(401)
      expect(one.requests.length).toBe(1)
      expect((await money.entry(refused.requestId)).cost_nano).toBe(0n)
      await write(engine, Date.now(), (writing) => setKeyEnabled(writing, 'expiring', true))
    })
  })
}
