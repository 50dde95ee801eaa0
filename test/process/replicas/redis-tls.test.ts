import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { missingPart } from '../../support/missing-part.ts'
import { hasOpenssl, makePrivateCa } from '../../support/outgoing/make-private-ca.ts'
import { askShop, shopConfig, shopKey } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runTollgate,
  startTollgate,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'
import { redisPath, startRedis, type TestRedis } from '../../support/redis/start-redis.ts'

cleanUpAfterwards()

const name = 'rate limits over TLS'
const path = redisPath(name)
if (!hasOpenssl) missingPart(name, 'no openssl')
const password = 'a-secret-word'

let upstream: FakeUpstream
const servers: TestRedis[] = []
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(async () => {
  await upstream.stop()
  for (const server of servers) await server.stop()
})

interface Case {
  readonly what: string
  /** The name in the certificate of the server. */
  readonly certified: string
  /** Whether the gateway trusts the CA of the certificate. */
  readonly isTrusted: boolean
  readonly urlOf?: (url: string) => string
  /** The reason in the log and in doctor; absent when the server can be used. */
  readonly why?: RegExp
}

const cases: readonly Case[] = [
  { what: 'a certificate of a trusted CA', certified: 'localhost', isTrusted: true },
  {
    what: 'a certificate of an unknown CA',
    certified: 'localhost',
    isTrusted: false,
    why: /TLS failed: .*verify.*NODE_EXTRA_CA_CERTS/,
  },
  {
    what: 'a certificate for another host',
    certified: 'redis.example',
    isTrusted: true,
    why: /TLS failed: .*localhost.*the certificate must name localhost/,
  },
  {
    what: 'a URL without TLS',
    certified: 'localhost',
    isTrusted: true,
    urlOf: (url) => url.replace('rediss:', 'redis:'),
    why: /a server that speaks only TLS needs rediss:\/\//,
  },
]

async function openFixture({ certified, isTrusted, urlOf = (url) => url }: Case) {
  const { root, certificate } = makePrivateCa(certified)
  const tls = { certificate: certificate.cert, key: certificate.key }
  const redis = await startRedis(path ?? '', { password, tls })
  servers.push(redis)
  const limits = { limits: urlOf(redis.url), limitsFallback: 'refuse' }
  const config = shopConfig(upstream.url, limits)
  const { provision } = config as { provision: object }
  const key = { id: 'k1', account: 'acme', name: 'laptop', value: shopKey, groups: ['default'] }
  const keys = [{ ...key, requestsPerMinute: 2 }]
  const workspace = makeWorkspace({ ...config, provision: { ...provision, keys } })
  const ca = workspace.path('root.pem')
  writeFileSync(ca, root)
  const env = { ...workspace.env, ...(isTrusted ? { NODE_EXTRA_CA_CERTS: ca } : {}) }
  return { ...workspace, env }
}

async function run(each: Case): Promise<void> {
  const workspace = await openFixture(each)
  const gateway = await startTollgate(workspace, ['--replica', 'a'])
  const statuses: number[] = []
  for (let times = 0; times < 3; times += 1) {
    const response = await askShop(gateway.url)
    await response.text()
    statuses.push(response.status)
  }
  const checked = await runTollgate(workspace, ['doctor'])
  gateway.signal('SIGTERM')
  await gateway.exited
  for (const text of [gateway.stderr(), checked.stdout]) expect(text).not.toContain(password)
  if (each.why === undefined) {
    expect(statuses).toEqual([200, 200, 429])
    expect(checked.stdout).toMatch(/ok +rate limits +localhost:\d+ counts for all replicas/)
    expect(gateway.stderr()).not.toContain('rate_limits_server_lost')
    return
  }
  // No limit can be checked, so every request is refused.
  expect(statuses).toEqual([503, 503, 503])
  expect(gateway.stderr()).toContain('rate_limits_server_lost')
  expect(gateway.stderr()).toMatch(each.why)
  expect(checked.stdout).toMatch(each.why)
  expect(checked.stdout).toContain('requests with rate limits are refused')
}

if (path !== undefined && hasOpenssl) {
  describe('a server for rate limits that speaks TLS', () => {
    test.each(cases)('$what', run)
  })
}
