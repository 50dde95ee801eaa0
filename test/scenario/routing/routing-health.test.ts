import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../src/wire/json.ts'
import type { RecordedRequest } from '../../support/fake-upstream/recorded-request.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { waitOut } from '../../support/gateway/wait-out.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway({ extend: withRouting })
/** A new conversation each time: an existing one would stay with its credential. */
const keyed = () => chatBody({ model: 'gpt-keys', prompt_cache_key: crypto.randomUUID() })
const shows = (credential: string) => (request: RecordedRequest) =>
  request.headers['authorization'] === `Bearer ${credential}`
const shown = (credential: string) => gateway().one.requests.filter(shows(credential)).length
const failing = { kind: 'status', status: 500 } as const

async function metric(name: string): Promise<number> {
  const { text } = await gateway().ask({ path: '/metrics' })
  const line = text.split('\n').find((each) => each.startsWith(name))
  return Number(line?.split(' ').at(-1))
}

describe('a credential', () => {
  test.each([401, 402, 403])('refused with %d: the other one answers', async (status) => {
    const { ask, one, two, money, logLines } = gateway()
    const before = logLines.length
    one.script(shows(credentials.one), { kind: 'status', status })
    const replies = []
    for (let round = 0; round < 4; round += 1)
      replies.push(await ask({ key: 'plain', body: keyed() }))
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200])
    // Sent once, and never again; the upstream itself is not blamed.
    expect(shown(credentials.one)).toBe(1)
    expect(two.requests).toHaveLength(0)
    const retried = (await Promise.all(replies.map((each) => money.attempts(each.requestId)))).find(
      (attempts) => attempts.length === 2,
    )
    expect(retried).toMatchObject([
      { upstream_id: 'keys', reason: 'upstream_error', note: expect.stringContaining(`${status}`) },
      {
        upstream_id: 'keys',
        status: 200,
        note: expect.stringContaining(`"retryAfter":"${status}"`),
      },
    ])
    expect(retried?.[0]?.credential).not.toBe(retried?.[1]?.credential)
    expect(retried?.[0]?.credential).toEndWith(credentials.one.slice(-4))
    const shouts = logLines.slice(before).filter((line) => line.includes('"credential_rejected"'))
    expect(shouts).toHaveLength(1)
    expect(parseJson(shouts[0] ?? '')).toMatchObject({
      level: 'error',
      upstream: 'keys',
      credential: 'first',
      status,
    })
    expect(await metric('tollgate_credentials_dead')).toBe(1)
  })

  test('that was rejected is tested again after ten minutes, by one request', async () => {
    const { ask, one, clock } = gateway()
    one.script(shows(credentials.one), { kind: 'status', status: 401 })
    for (let round = 0; round < 2; round += 1) await ask({ key: 'plain', body: keyed() })
    expect(shown(credentials.one)).toBe(1)
    clock.passTime(10 * 60_000)
    for (let round = 0; round < 4; round += 1) await ask({ key: 'plain', body: keyed() })
    expect(shown(credentials.one)).toBe(2)
  })

  test('that is rate-limited waits for Retry-After, and the other one answers', async () => {
    const { ask, one, two, clock } = gateway()
    one.script(shows(credentials.one), { kind: 'status', status: 429, retryAfterSeconds: 17 })
    for (let round = 0; round < 4; round += 1) {
      expect((await ask({ key: 'plain', body: keyed() })).status).toBe(200)
    }
    expect(shown(credentials.one)).toBe(1)
    expect(two.requests).toHaveLength(0)
    clock.passTime(18_000)
    for (let round = 0; round < 2; round += 1) await ask({ key: 'plain', body: keyed() })
    expect(shown(credentials.one)).toBe(2)
  })

  test('a failure of the upstream itself is not retried with the other credential', async () => {
    const { ask, one, two } = gateway()
    one.script('next', failing)
    expect((await ask({ key: 'plain', body: keyed() })).status).toBe(200)
    expect(one.requests).toHaveLength(1)
    expect(two.requests).toHaveLength(1)
  })
})

describe('the breaker', () => {
  const body = chatBody()

  test('opens after five failures in a row, and later one request tests the upstream', async () => {
    const { ask, one, two, clock, logLines } = gateway()
    const before = logLines.length
    one.script({}, failing)
    for (let round = 0; round < 8; round += 1) {
      expect((await ask({ key: 'plain', body })).status).toBe(200)
    }
    expect(one.requests).toHaveLength(5)
    expect(two.requests).toHaveLength(8)
    expect(await metric('tollgate_breakers_open')).toBe(1)
    clock.passTime(40_000)
    for (let round = 0; round < 3; round += 1) await ask({ key: 'plain', body })
    expect(one.requests).toHaveLength(6)
    const heard = logLines.slice(before).filter((line) => line.includes('"circuit_breaker_opened"'))
    expect(heard).toHaveLength(2)
  })

  test('closes when the test succeeds', async () => {
    const { ask, one, two, clock } = gateway()
    for (let round = 0; round < 5; round += 1) {
      one.script('next', failing)
      await ask({ key: 'plain', body })
    }
    clock.passTime(40_000)
    two.reset()
    for (let round = 0; round < 3; round += 1) await ask({ key: 'plain', body })
    expect(one.requests).toHaveLength(8)
    expect(two.requests).toHaveLength(0)
    expect(await metric('tollgate_breakers_open')).toBe(0)
  })

  test('the only upstream is always tried', async () => {
    const { ask, one } = gateway()
    const alone = chatBody({ model: 'gpt-y' })
    one.script({}, failing)
    for (let round = 0; round < 7; round += 1) {
      expect((await ask({ key: 'plain', body: alone })).status).toBe(502)
    }
    expect(one.requests).toHaveLength(7)
  })

  test.each([400, 404, 413, 422])(
    'a rejected request, %d, does not affect health',
    async (status) => {
      const { ask, one, two } = gateway()
      one.script({}, { kind: 'status', status })
      for (let round = 0; round < 6; round += 1) {
        expect((await ask({ key: 'plain', body })).status).toBe(status)
      }
      expect(one.requests).toHaveLength(6)
      expect(two.requests).toHaveLength(0)
    },
  )

  test('a client that disconnects does not affect health', async () => {
    const { open, ask, one } = gateway()
    for (let round = 0; round < 6; round += 1) {
      one.script('next', { kind: 'stall-before-headers' })
      const leaving = new AbortController()
      const asked = open({ key: 'plain', body, signal: leaving.signal }).catch(() => undefined)
      const request = await one.whenRequested(round + 1)
      leaving.abort()
      await asked
      await waitOut(gateway())
      await request.whenAborted
    }
    await ask({ key: 'plain', body })
    expect(one.requests).toHaveLength(7)
  })
})

describe('a limit of concurrent requests', () => {
  test('the client gets Retry-After, the upstream gets no request, and the slot is released', async () => {
    const { ask, open, one, money } = gateway()
    const body = chatBody({ model: 'gpt-capped' })
    one.script('next', { kind: 'stall-before-headers' })
    const leaving = new AbortController()
    const first = open({ key: 'plain', body, signal: leaving.signal }).catch(() => undefined)
    const request = await one.whenRequested(1)
    const second = await ask({ key: 'plain', body })
    expect(second.status).toBe(503)
    expect(second.json).toMatchObject({ error: { code: 'no_upstream_available' } })
    expect(second.headers.get('retry-after')).toBe('1')
    expect(second.headers.get('x-should-retry')).toBeNull()
    expect(one.requests).toHaveLength(1)
    expect(await money.usageRow(second.requestId)).toMatchObject({ status: 503, cost_nano: 0n })
    leaving.abort()
    await first
    await waitOut(gateway())
    await request.whenAborted
    for (const isStream of [false, true, false]) {
      const reply = await ask({ key: 'plain', body: { ...body, stream: isStream } })
      expect(reply.status).toBe(200)
    }
  })
})

describe('a fallback model', () => {
  test('only when the model itself is unhealthy, named in header, row and warning, at its own price', async () => {
    const { ask, one, two, money } = gateway()
    const body = chatBody({ model: 'gpt-main' })
    const well = await ask({ key: 'plain', body })
    expect(well.headers.get('x-gateway-model')).toBeNull()
    two.script({}, failing)
    for (let round = 0; round < 5; round += 1) {
      expect((await ask({ key: 'plain', body })).status).toBe(502)
    }
    expect(one.requests).toHaveLength(0)
    for (const isStream of [false, true]) {
      const reply = await ask({ key: 'plain', body: { ...body, stream: isStream } })
      expect(reply.status).toBe(200)
      expect(reply.headers.get('x-gateway-model')).toBe('gpt-y')
      expect(reply.headers.get('x-gateway-warnings')).toContain('model_gpt-y_for_gpt-main')
      const row = await money.usageRow(reply.requestId)
      expect(row).toMatchObject({ model: 'gpt-y', upstream_id: 'one', status: 200 })
      expect(row.warnings).toContain('model_gpt-y_for_gpt-main')
      expect(row.note).toContain('"fallbackFrom":"gpt-main"')
      expect(parseJson(one.requests.at(-1)?.body ?? '')).toMatchObject({
        model: 'their-name-for-y',
      })
    }
    expect(two.requests).toHaveLength(6)
  })
})
