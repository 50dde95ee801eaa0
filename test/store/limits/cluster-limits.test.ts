import { afterEach, describe, expect, test } from 'bun:test'
import { ownedLimits } from '../../../src/core/limits/rate-limit.ts'
import { limitChecks } from '../../../src/limits/limit-checks.ts'
import { limitScripts } from '../../../src/limits/limit-scripts.ts'
import { LimitRefusal } from '../../../src/limits/limiter.ts'
import { LocalLimits } from '../../../src/limits/local-limits.ts'
import { SharedLimits } from '../../../src/limits/shared-limits.ts'
import { ScriptHost } from '../../../src/store/redis/script-host.ts'
import { eventually } from '../../support/eventually.ts'
import { redisPath, startRedis, type TestRedis } from '../../support/redis/start-redis.ts'

const path = redisPath('limits on a Redis cluster')
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A primary with all slots, its replica, and a node without slots. */
async function openCluster() {
  const start = async () => {
    const node = await startRedis(path ?? '', { isInCluster: true })
    closers.push(node.stop)
    return node
  }
  const [primary, replica, other] = [await start(), await start(), await start()]
  const idOf = async (node: TestRedis) => String(await node.send('CLUSTER', 'MYID'))
  const busPort = async (node: TestRedis) =>
    /:\d+@(\d+)/.exec(String(await node.send('CLUSTER', 'NODES')))?.[1] ?? ''
  await primary.send('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  const meeting = ['127.0.0.1', String(primary.port), await busPort(primary)]
  for (const node of [replica, other]) await node.send('CLUSTER', 'MEET', ...meeting)
  for (const node of [primary, replica, other])
    await eventually('the nodes know each other', async () => {
      const nodes = String(await node.send('CLUSTER', 'NODES'))
      return nodes.split('\n').length > 3 && !nodes.includes('handshake')
    })
  await replica.send('CLUSTER', 'REPLICATE', await idOf(primary))
  await eventually('the replica follows', async () =>
    /master_link_status:up/.test(String(await replica.send('INFO', 'replication'))),
  )
  await eventually('the cluster works', async () =>
    /cluster_state:ok/.test(String(await other.send('CLUSTER', 'INFO'))),
  )
  return { primary, replica, other }
}

async function openLimits(url: string) {
  const events: string[] = []
  const host = new ScriptHost(
    url,
    { scripts: limitScripts, checks: limitChecks },
    {
      onDown: (why) => events.push(why),
      onUp: () => events.push('up'),
    },
  )
  closers.push(() => host.close())
  await host.open()
  const limits = new SharedLimits({
    host,
    local: new LocalLimits(() => performance.now()),
    fallback: 'refuse',
    permitPrefix: url,
    nowMs: () => performance.now(),
    onUnshared: () => undefined,
  })
  closers.push(() => limits.close())
  return { limits, host, events }
}

/** Places do not come back with time, so that a slow machine admits no more. */
const values = { requestsPerMinute: 1_000, tokensPerMinute: null, concurrentRequests: 3 }
const owners = (['key', 'account', 'group', 'model'] as const).flatMap(
  (owner) => ownedLimits(owner, owner, values) ?? [],
)

/** How much of the primary's data a node has. */
async function offsetOf(node: TestRedis, name: string): Promise<string | undefined> {
  const info = String(await node.send('INFO', 'replication'))
  return new RegExp(`${name}_repl_offset:(\\d+)`).exec(info)?.[1]
}

if (path !== undefined) {
  describe('a Redis cluster', () => {
    test('counts the limits of a request at one node, which the gateway finds from any other, also after a failover', async () => {
      const { primary, replica, other } = await openCluster()
      const all = await Promise.all([primary, replica, other].map(({ url }) => openLimits(url)))
      for (const { events } of all) expect(events).toEqual(['up'])
      for (const { limits } of all)
        expect(await limits.admit(owners, 1)).not.toBeInstanceOf(LimitRefusal)
      for (const { limits } of all)
        expect(await limits.admit(owners, 1)).toMatchObject({ kind: 'concurrent' })
      await eventually('the replica has everything', async () => {
        const written = await offsetOf(primary, 'master')
        return written !== undefined && written === (await offsetOf(replica, 'slave'))
      })
      await primary.kill()
      const [, ...rest] = all
      await eventually('the primary is lost', () => rest.every(({ host }) => !host.isUp))
      await replica.send('CLUSTER', 'FAILOVER', 'TAKEOVER')
      await eventually('the new primary is found', () => rest.every(({ host }) => host.isUp))
      for (const { limits } of rest)
        expect(await limits.admit(owners, 1)).toMatchObject({ kind: 'concurrent' })
    })
  })
}
