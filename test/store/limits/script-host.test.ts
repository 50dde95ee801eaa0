import { afterEach, describe, expect, test } from 'bun:test'
import { ScriptHost } from '../../../src/store/redis/script-host.ts'
import { redisPath, startRedis, type TestRedis } from '../../support/redis/start-redis.ts'

const path = redisPath('scripts on a Redis server')
const even = { text: `redis.call('RPUSH', KEYS[1], ARGV[1]) return 'even'` }
const odd = { text: `redis.call('RPUSH', KEYS[1], ARGV[1]) return 'odd'` }
const list = 'list'

const hosts: ScriptHost[] = []
const servers: TestRedis[] = []
afterEach(async () => {
  for (const each of hosts.splice(0)) each.close()
  for (const each of servers.splice(0)) await each.stop()
})

async function openFixture() {
  const redis = await startRedis(path ?? '')
  servers.push(redis)
  const lost: string[] = []
  const openHost = async (key: string) => {
    const host = new ScriptHost(
      redis.url,
      { scripts: [even, odd], checks: [] },
      {
        onDown: (why) => lost.push(why),
        onUp: () => undefined,
      },
    )
    hosts.push(host)
    await host.open()
    const run = (index: number) => host.run(index % 2 === 0 ? even : odd, [key], [String(index)])
    const written = async () =>
      ((await redis.send('LRANGE', key, '0', '-1')) as string[]).map(Number)
    return { run, written }
  }
  const forget = () => redis.send('SCRIPT', 'FLUSH')
  return { forget, ...(await openHost(list)), openHost, redis, lost }
}

const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve)
  })
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

if (path !== undefined) {
  describe('calls run in the order in which they were made', () => {
    test('when the first call of one script follows many of another', async () => {
      const { run, written } = await openFixture()
      await run(0)
      // No caller waits for the first of these.
      await Promise.all([run(1), run(2), run(3), run(4)])
      expect(await written()).toEqual(upTo(5))
    })

    test.each([1, 2, 7, 50])(
      'when the server has forgotten the scripts, and %d calls are made in each turn',
      async (count) => {
        const { forget, run, written, lost } = await openFixture()
        const calls: Promise<unknown>[] = []
        for (let turn = 0; turn < 100; turn += 1) {
          if (turn % 10 === 0) await forget()
          for (let times = 0; times < count; times += 1) calls.push(run(calls.length))
          await nextTurn()
        }
        await Promise.all(calls)
        expect(await written()).toEqual(upTo(calls.length))
        expect(lost).toEqual([])
      },
    )

    test('when calls are made while others are repeated', async () => {
      const { forget, run, written } = await openFixture()
      const calls: Promise<unknown>[] = []
      for (let round = 0; round < 20; round += 1) {
        await forget()
        const first = run(calls.length)
        calls.push(first, run(calls.length + 1))
        // The answer to the first call has arrived, and that to the second one not yet.
        await first
        calls.push(run(calls.length))
      }
      await Promise.all(calls)
      expect(await written()).toEqual(upTo(calls.length))
    })
  })

  describe('two processes on one server', () => {
    test('keep their order while the scripts are forgotten again and again', async () => {
      const { forget, openHost, redis, lost } = await openFixture()
      const both = [await openHost('one'), await openHost('two')]
      const sent = both.map((): Promise<unknown>[] => [])
      let isOver = false
      // Pipelined without a pause, so that scripts disappear in the middle of the calls of both.
      const forgetting = (async () => {
        while (!isOver) await forget()
      })()
      for (let turn = 0; turn < 400; turn += 1) {
        for (const [index, { run }] of both.entries())
          for (let times = 0; times < 9; times += 1) sent[index]?.push(run(sent[index].length))
        await nextTurn()
        if (turn % 20 === 0) await Promise.all(sent.flatMap((calls) => calls.slice(-1)))
      }
      await Promise.all(sent.flat())
      isOver = true
      await forgetting
      for (const [index, { written }] of both.entries())
        expect(await written()).toEqual(upTo(sent[index]?.length ?? 0))
      expect(lost).toEqual([])
      const scripts = await redis.send('INFO', 'commandstats')
      expect(String(scripts)).toMatch(/cmdstat_evalsha:.*failed_calls=[1-9]/)
    })

    test('answer each call with the answer of its own script', async () => {
      const { forget, run } = await openFixture()
      for (let index = 0; index < 30; index += 1) {
        if (index % 4 === 0) await forget()
        expect(await run(index)).toBe(index % 2 === 0 ? 'even' : 'odd')
      }
    })
  })

  describe('a server that does not know a script', () => {
    test('gets each call exactly once', async () => {
      const { forget, run, written } = await openFixture()
      const calls: Promise<unknown>[] = []
      for (let index = 0; index < 200; index += 1) {
        if (index % 20 === 0) calls.push(forget())
        calls.push(run(index))
        if (index % 7 === 0) await calls.at(-1)
      }
      await Promise.all(calls)
      expect((await written()).toSorted((one, two) => one - two)).toEqual(upTo(200))
    })
  })
}
