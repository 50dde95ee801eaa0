import { describe, expect, test } from 'bun:test'
import { followChanges } from '../../../src/store/changes/change-follower.ts'
import { changesAfter, latestChange } from '../../../src/store/changes/changes.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { TransientStoreError } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'

function announceKey(engine: Engine, subject: string): Promise<void> {
  return write(engine, 1, async ({ announce }) => announce('key', subject))
}

function unexpected(error: unknown): never {
  throw error
}

/** Follows and collects the changes; `until` waits for a subject without a poll. */
async function collect(engine: Engine) {
  const seen: string[] = []
  const waiting = new Map<string, () => void>()
  const follower = followChanges(
    engine,
    await latestChange(engine.db),
    async (changes) => {
      for (const { subject } of changes) {
        seen.push(subject)
        waiting.get(subject)?.()
      }
    },
    unexpected,
  )
  const until = (subject: string) =>
    new Promise<void>((resolve) => {
      if (seen.includes(subject)) resolve()
      else waiting.set(subject, resolve)
    })
  return { seen, follower, until }
}

describe.each(engineFixtures('changes'))('changes on $kind', (fixture) => {
  test('a change is announced by the transaction that makes it, and only if it is committed', async () => {
    const engine = await fixture.openMigrated()
    const before = await latestChange(engine.db)
    await write(engine, 7, async ({ tx, announce }) => {
      await tx.insertInto('fact').values({ name: 'a', value: 'v' }).execute()
      announce('key', 'k1')
      announce('account', 'a1')
    })
    const failing = write(engine, 7, async ({ announce }) => {
      announce('key', 'never')
      throw new Error('no')
    })
    expect(await failureOf(failing)).toBe('no')
    await write(engine, 7, async () => undefined)
    const changes = await changesAfter(engine.db, before)
    expect(changes.map(({ topic, subject }) => `${topic} ${subject}`)).toEqual([
      'key k1',
      'account a1',
    ])
  })

  test('every change is seen once and in order, and no earlier change', async () => {
    const engine = await fixture.openMigrated()
    await announceKey(engine, 'before')
    const { seen, follower } = await collect(engine)
    const subjects = Array.from({ length: 30 }, (_, index) => `k${index}`)
    for (const subject of subjects) await announceKey(engine, subject)
    await follower.catchUp()
    await follower.catchUp()
    await follower.stop()
    expect(seen).toEqual(subjects)
  })

  test('if two processes announce at the same time, a third misses no change', async () => {
    const url = await fixture.migratedUrl()
    const [one, two, third] = [
      await fixture.open(url),
      await fixture.open(url),
      await fixture.open(url),
    ]
    await migrate(one, migrations, 1)
    const { seen, follower } = await collect(third)
    const subjects = Array.from({ length: 40 }, (_, index) => `k${index}`)
    const looking = setInterval(() => void follower.catchUp(), 1)
    await Promise.all(
      subjects.map((subject, index) => announceKey(index % 2 === 0 ? one : two, subject)),
    )
    clearInterval(looking)
    await follower.catchUp()
    await follower.stop()
    expect([...seen].sort()).toEqual([...subjects].sort())
  })

  test('a change of this process arrives', async () => {
    const engine = await fixture.openMigrated()
    const { follower, until } = await collect(engine)
    await announceKey(engine, 'k1')
    await until('k1')
    await follower.stop()
  })

  test('a change of another process arrives', async () => {
    const [one, two] = await fixture.openTwo()
    const { follower, until } = await collect(two)
    await announceKey(one, 'k1')
    await until('k1')
    await follower.stop()
  })

  test('without notifications, polling delivers every change', async () => {
    const engine = await fixture.openMigrated()
    const deaf: Engine = { ...engine, onNotify: async () => undefined }
    const { seen, follower, until } = await collect(deaf)
    await announceKey(engine, 'k1')
    await announceKey(engine, 'k2')
    await until('k2')
    await follower.stop()
    expect(seen).toEqual(['k1', 'k2'])
  })

  test('a notification arrives without a query', async () => {
    const [one, two] = await fixture.openTwo()
    const listener = fixture.kind === 'postgres' ? two : one
    const heard = Promise.withResolvers<void>()
    await listener.onNotify(() => heard.resolve())
    await one.notify()
    await heard.promise
  })

  test('a change that could not be applied is delivered again', async () => {
    const engine = await fixture.openMigrated()
    const offered: string[][] = []
    const follower = followChanges(
      { ...engine, onNotify: async () => undefined },
      await latestChange(engine.db),
      async (changes) => {
        offered.push(changes.map((change) => change.subject))
        if (offered.length === 1) throw new Error('not now')
      },
      () => undefined,
    )
    await announceKey(engine, 'k1')
    await follower.catchUp().catch(() => undefined)
    await follower.catchUp()
    await follower.stop()
    expect(offered).toEqual([['k1'], ['k1']])
  })

  test('a closed follower receives no changes', async () => {
    const engine = await fixture.openMigrated()
    const { seen, follower } = await collect(engine)
    await follower.stop()
    await announceKey(engine, 'k1')
    await engine.notify()
    expect(seen).toEqual([])
  })

  test('a write is retried when the database asks for it, and announced once', async () => {
    const engine = await fixture.openMigrated()
    let tries = 0
    await write(engine, 1, async ({ announce }) => {
      announce('key', 'k1')
      tries += 1
      if (tries < 3) throw new TransientStoreError('try again')
    })
    expect(tries).toBe(3)
    expect(await changesAfter(engine.db, 0)).toHaveLength(1)
  })

  test('a committed write succeeds even if the notification fails', async () => {
    const engine = await fixture.openMigrated()
    const mute: Engine = { ...engine, notify: () => Promise.reject(new Error('connection lost')) }
    await announceKey(mute, 'k1')
    expect(await changesAfter(engine.db, 0)).toHaveLength(1)
  })
})
