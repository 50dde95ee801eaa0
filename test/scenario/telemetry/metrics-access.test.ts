import { describe, expect, test } from 'bun:test'
import { listenMetrics } from '../../../src/app/start/listen-metrics.ts'
import { mainMetricsAccess } from '../../../src/http-in/metrics-access.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const token = 'metrics-token-0123456789'
const local = withGateway()
const guarded = withGateway({ metricsAccess: { open: 'everybody', token } })
const hidden = withGateway({ metricsAccess: { open: 'nobody', token: undefined } })

type Row = [name: string, gateway: typeof local, headers: Record<string, string>, status: number]

const rows: Row[] = [
  ['loopback, default settings', local, {}, 200],
  ['loopback, through a proxy', local, { 'x-forwarded-for': '203.0.113.1' }, 404],
  ['loopback, through a proxy that sends Forwarded', local, { forwarded: 'for=203.0.113.1' }, 404],
  ['with a token: the right one', guarded, { authorization: `Bearer ${token}` }, 200],
  [
    'with a token: the right one, through a proxy',
    guarded,
    { authorization: `bearer ${token}`, via: '1.1 p' },
    200,
  ],
  ['with a token: a wrong one', guarded, { authorization: `Bearer ${token}x` }, 401],
  ['with a token: an empty one', guarded, { authorization: 'Bearer ' }, 401],
  ['with a token: none sent', guarded, {}, 401],
  ['with a token: sent as Basic', guarded, { authorization: `Basic ${token}` }, 401],
  ['hidden', hidden, {}, 404],
  ['hidden, even with a token', hidden, { authorization: `Bearer ${token}` }, 404],
]

test.each(rows)('%s', async (_, gateway, headers, status) => {
  const reply = await fetch(`${gateway().url}/metrics`, { headers })
  const text = await reply.text()
  expect(reply.status).toBe(status)
  expect(text.includes('# TYPE')).toBe(status === 200)
  expect(text).not.toContain(token)
  expect(reply.headers.get('x-gateway-request-id')).toMatch(/^[\w-]{36}$/)
})

describe('access on the main port', () => {
  const cases: [string, string | undefined, boolean, string][] = [
    ['127.0.0.1', undefined, false, 'local'],
    ['127.8.9.1', undefined, false, 'local'],
    ['localhost', undefined, false, 'local'],
    ['::1', undefined, false, 'local'],
    ['0.0.0.0', undefined, false, 'nobody'],
    ['::', undefined, false, 'nobody'],
    ['10.0.0.1', undefined, false, 'nobody'],
    ['127.example.com', undefined, false, 'nobody'],
    ['0.0.0.0', token, false, 'everybody'],
    ['127.0.0.1', token, false, 'everybody'],
    ['127.0.0.1', token, true, 'nobody'],
    ['127.0.0.1', undefined, true, 'nobody'],
  ]
  test.each(cases)(
    '%s, token %s, own port %s: %s',
    (hostname, metricsToken, hasOwnListener, open) => {
      const access = mainMetricsAccess({
        listen: { hostname },
        metricsListen: hasOwnListener ? {} : undefined,
        metricsToken,
      })
      expect(access.open).toBe(open as typeof access.open)
    },
  )
})

describe('on a separate port', () => {
  const metricsListen = { hostname: '127.0.0.1', port: 0 }
  const parts = { nowMs: Date.now, renderMetrics: () => '# TYPE figures\n' }
  test.each([
    ['/metrics', undefined, {}, 200],
    ['/metrics', token, {}, 401],
    ['/metrics', token, { authorization: `Bearer ${token}` }, 200],
    ['/v1/models', undefined, {}, 404],
    ['/console/', undefined, {}, 404],
    ['/a//metrics', undefined, {}, 400],
  ] as [string, string | undefined, Record<string, string>, number][])(
    '%s, token %s',
    async (path, metricsToken, headers, status) => {
      const listener = listenMetrics(
        { metricsListen },
        { ...parts, metricsToken: () => metricsToken },
      )
      try {
        const reply = await fetch(`http://127.0.0.1:${listener?.port}${path}`, { headers })
        expect(reply.status).toBe(status)
        expect((await reply.text()).includes('# TYPE')).toBe(status === 200)
      } finally {
        await listener?.stop()
      }
    },
  )

  test('no port is opened without the setting', () => {
    const guarded = { ...parts, metricsToken: () => token }
    expect(listenMetrics({ metricsListen: undefined }, guarded)).toBeUndefined()
  })
})
