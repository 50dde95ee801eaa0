import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { askShop, shopConfig, shopKey } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runHere,
  startTollgate,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'
import { redisPath, startRedis, type TestRedis } from '../../support/redis/start-redis.ts'

cleanUpAfterwards()

const path = redisPath('rate limits of three processes')
const requests = 500
const limit = 20

let upstream: FakeUpstream
let redis: TestRedis | undefined
beforeAll(async () => {
  upstream = await startFakeUpstream()
  if (path !== undefined) redis = await startRedis(path, { password: 'a password' })
})
afterAll(async () => {
  await upstream.stop()
  await redis?.stop()
})

/** The limit is that of the key, or of the only credential of the upstream. */
async function race(owner: 'key' | 'credential'): Promise<void> {
  const own = { requestsPerMinute: limit }
  const asked = upstream.requests.length
  const config = shopConfig(upstream.url, {
    limits: redis?.url,
    limitsFallback: 'refuse',
  })
  const { provision } = config as { provision: { upstreams: { credential: string }[] } }
  const upstreams = provision.upstreams.map(({ credential, ...rest }) => ({
    ...rest,
    credentials: [{ name: 'first', value: credential, ...(owner === 'credential' && own) }],
  }))
  const keys = [
    {
      id: 'k1',
      account: 'acme',
      name: 'laptop',
      value: shopKey,
      groups: ['default'],
      ...(owner === 'key' && own),
    },
  ]
  const workspace = makeWorkspace({ ...config, provision: { ...provision, keys, upstreams } })
  const gateways = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      startTollgate(workspace, ['--replica', name, '--log-level', 'warn']),
    ),
  )
  const startedMs = performance.now()
  const statuses = await Promise.all(
    Array.from({ length: requests }, async (_, index) => {
      const response = await askShop(gateways[index % 3]?.url ?? '')
      await response.text()
      return response.status
    }),
  )
  const admitted = statuses.filter((status) => status === 200).length
  // One more request is admitted every three seconds.
  const more = Math.floor((performance.now() - startedMs) / (60_000 / limit))
  expect(admitted).toBeGreaterThanOrEqual(limit)
  expect(admitted).toBeLessThanOrEqual(limit + more)
  expect(upstream.requests.length - asked).toBe(admitted)
  // On a busy machine an answer of the server can be late; such a request is refused and never admitted.
  expect(statuses.filter((status) => ![200, 429, 503].includes(status))).toEqual([])
  expect(statuses).toContain(429)
  const checked = await runHere(workspace, ['doctor'])
  expect(checked.stdout).toMatch(/ok +rate limits +127\.0\.0\.1:\d+ counts for all replicas/)
  for (const text of [checked.stdout, ...gateways.map((each) => each.stderr())])
    expect(text).not.toMatch(/a password|a%20password/)
  for (const each of gateways) each.signal('SIGTERM')
}

if (path !== undefined) {
  describe('500 requests over three processes, and a limit of 20', () => {
    test.each(['key', 'credential'] as const)('of the %s: admit 20, never 21', race)
  })
}
