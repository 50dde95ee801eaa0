import { describe, expect, test } from 'bun:test'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { withoutStale } from '../../support/gateway/without-stale.ts'

const gateway = withGateway()

/** gpt-y has only one upstream, so the client gets its failure. */
const alone = (isStream: boolean) => chatBody({ model: 'gpt-y', stream: isStream })
const shapes = [
  { shape: 'whole', isStream: false },
  { shape: 'stream', isStream: true },
]
const quoting = `Incorrect API key provided: ${credentials.one}. See also sk-another-key-0123456789.`

interface Failure {
  readonly name: string
  readonly behaviour: Behaviour
  readonly status: number
  readonly code: string
  readonly says?: string
  readonly isFinal?: boolean
  /** The failure as the attempt records it. */
  readonly attemptStatus: number
}

const failures: Failure[] = [
  ...[500, 502].map((status) => ({
    name: String(status),
    behaviour: { kind: 'status', status } as const,
    status: 502,
    code: 'upstream_error',
    attemptStatus: 502,
  })),
  ...[503, 529].map((status) => ({
    name: `${status}, busy`,
    behaviour: { kind: 'status', status } as const,
    status: 503,
    code: 'upstream_error',
    attemptStatus: status,
  })),
  ...[401, 402, 403].map((status) => ({
    name: `${status} that quotes the credential`,
    behaviour: { kind: 'status', status, message: quoting } as const,
    status: 502,
    code: 'upstream_error',
    says: 'credential',
    isFinal: true,
    attemptStatus: 502,
  })),
  {
    name: 'a connection reset',
    behaviour: { kind: 'reset' },
    status: 502,
    code: 'upstream_error',
    attemptStatus: 502,
  },
  {
    name: 'a redirect',
    behaviour: {
      kind: 'reply',
      status: 302,
      headers: { location: 'http://127.0.0.1:1/' },
      body: '',
    },
    status: 502,
    code: 'upstream_error',
    attemptStatus: 502,
  },
  {
    name: '200 with an HTML page',
    behaviour: {
      kind: 'reply',
      headers: { 'content-type': 'text/html' },
      body: '<html>Gateway time-out</html>',
    },
    status: 502,
    code: 'upstream_error',
    attemptStatus: 502,
  },
  {
    name: '200 with an empty body',
    behaviour: { kind: 'reply', body: '' },
    status: 502,
    code: 'upstream_error',
    attemptStatus: 502,
  },
]

describe('a failure of the only upstream', () => {
  for (const { shape, isStream } of shapes) {
    test.each(failures)(`$name, asked for a ${shape}`, async (failure) => {
      const { ask, one, money } = gateway()
      one.script(failure.behaviour.kind === 'reset' ? {} : 'next', failure.behaviour)
      const before = await money.balance('acme')
      const reply = await ask({ key: 'plain', body: alone(isStream) })
      expect(reply.status).toBe(failure.status)
      expect(reply.json).toMatchObject({ error: { type: 'server_error', code: failure.code } })
      expect(reply.text).toContain(failure.says ?? '')
      expect(reply.text).not.toContain('sk-')
      expect(reply.headers.get('content-type')).toBe('application/json')
      const attempts = await money.attempts(reply.requestId)
      // A single failure may be temporary; a rejected credential is not.
      const isFinal = failure.isFinal === true || attempts.length > 1
      expect(reply.headers.get('x-should-retry')).toBe(isFinal ? 'false' : null)
      expect(one.requests).toHaveLength(attempts.length)
      expect(await money.usageRow(reply.requestId)).toMatchObject({
        status: failure.status,
        reason: failure.code,
        cost_nano: 0n,
      })
      expect(withoutStale(attempts)).toMatchObject([
        { upstream_id: 'one', status: failure.attemptStatus, reason: failure.code },
      ])
      expect(await money.entry(reply.requestId)).toMatchObject({
        cost_nano: 0n,
        usage_source: 'none',
      })
      expect(await money.balance('acme')).toBe(before)
    })
  }

  test('no server is listening', async () => {
    const { ask, money } = gateway()
    const reply = await ask({ key: 'plain', body: chatBody({ model: 'gpt-dead' }) })
    expect(reply.status).toBe(502)
    expect(reply.json).toMatchObject({ error: { code: 'upstream_error' } })
    expect(reply.text).not.toContain('127.0.0.1')
    expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
  })

  test.each(shapes)('a timeout ($shape)', async ({ isStream }) => {
    const { ask, one, money, clock } = gateway()
    one.script('next', { kind: 'stall-before-headers' })
    const asked = ask({ key: 'plain', body: alone(isStream) })
    const request = await one.whenRequested(1)
    clock.passTime(601_000)
    const reply = await asked
    expect(reply.status).toBe(504)
    expect(reply.json).toMatchObject({ error: { code: 'upstream_timeout', type: 'server_error' } })
    expect(reply.headers.get('x-should-retry')).toBe('false')
    await request.whenAborted
    expect(await money.usageRow(reply.requestId)).toMatchObject({
      status: 504,
      reason: 'upstream_timeout',
      cost_nano: 0n,
    })
  })
})

describe('the upstream refuses the request itself', () => {
  const rows = [400, 404, 409, 413, 422]
  for (const { shape, isStream } of shapes) {
    test.each(rows)(`%d, asked for a ${shape}`, async (status) => {
      const { ask, one, two, money } = gateway()
      const error = { message: 'No such voice.', type: 'their_type', param: 'voice', code: 'odd' }
      one.script('next', { kind: 'reply', status, body: JSON.stringify({ error }) })
      const reply = await ask({ key: 'plain', body: chatBody({ stream: isStream }) })
      expect(reply.status).toBe(status)
      expect(reply.json).toEqual({ error: { ...error, reason: 'upstream_rejected' } })
      // The request is the cause, so no other upstream is tried.
      expect(one.requests).toHaveLength(1)
      expect(two.requests).toHaveLength(0)
      expect(await money.usageRow(reply.requestId)).toMatchObject({
        status,
        reason: 'upstream_rejected',
        cost_nano: 0n,
      })
      expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
    })
  }

  test('with a text that quotes a credential, which is masked', async () => {
    const { ask, one } = gateway()
    one.script('next', { kind: 'status', status: 400, message: quoting })
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('Incorrect API key provided: [credential]')
    expect(reply.text).not.toContain('sk-')
  })

  test('whose type, code or field quote a credential', async () => {
    const { ask, one } = gateway()
    const error = { message: 'No.', type: quoting, code: credentials.one, param: credentials.one }
    one.script('next', { kind: 'reply', status: 400, body: JSON.stringify({ error }) })
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(reply.status).toBe(400)
    expect(reply.text).not.toContain('sk-')
  })

  test('without a message', async () => {
    const { ask, one } = gateway()
    one.script('next', { kind: 'reply', status: 422, body: 'plain text' })
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(reply.status).toBe(422)
    expect(reply.json).toMatchObject({
      error: { code: 'upstream_rejected', reason: 'upstream_rejected' },
    })
  })

  test('429 of the only upstream keeps its retry-after', async () => {
    const { ask, one } = gateway()
    one.script('next', { kind: 'status', status: 429, retryAfterSeconds: 17 })
    const reply = await ask({ key: 'plain', body: alone(false) })
    expect(reply.status).toBe(429)
    expect(reply.headers.get('retry-after')).toBe('17')
    expect(reply.json).toMatchObject({
      error: { code: 'rate_limit_exceeded', reason: 'upstream_rejected' },
    })
  })
})
