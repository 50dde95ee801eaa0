import { describe, expect, test } from 'bun:test'
import { parseAddressRange } from '../../../src/core/access/address-range.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { createResponder } from '../../../src/http-in/server.ts'

type Row = [trusted: string[], peer: string, headers: Record<string, string>, expected: boolean]

const https = { 'x-forwarded-proto': 'https' }
const caller = { 'x-forwarded-for': '198.51.100.7' }

const rows: Row[] = [
  [[], '203.0.113.9', {}, false],
  [[], '203.0.113.9', https, false],
  [[], '::ffff:203.0.113.9', https, false],
  [[], '::ffff:127.0.0.1', { ...https, ...caller }, false],
  [['10.0.0.0/8'], '203.0.113.9', { ...https, ...caller }, false],
  [['10.0.0.0/8'], '::ffff:203.0.113.9', https, false],
  [['10.0.0.0/8'], '10.0.0.1', { ...https, ...caller }, true],
  [['10.0.0.0/8'], '::ffff:10.0.0.1', { ...https, ...caller }, true],
  [['10.0.0.0/8'], '10.0.0.1', https, true],
  [['10.0.0.0/8'], '10.0.0.1', { ...caller, 'x-forwarded-proto': 'http' }, false],
  [['10.0.0.0/8'], '10.0.0.1', caller, false],
]

describe('whether the console assumes TLS', () => {
  test.each(rows)(
    'trusted %j, peer %s, headers %j: %p',
    async (trusted, peer, headers, expected) => {
      let believed: boolean | undefined
      const respond = createResponder({
        gateway: { answer: () => Promise.reject(new Error('not asked here')) },
        console: async (_, { isSecure }) => {
          believed = isSecure
          return new Response('')
        },
        clock: systemClock,
        brand: 'gateway',
        trustedProxies: trusted.map(parseAddressRange).filter((range) => range !== undefined),
        bodyLimits: { bodyBytesMax: 1, bodyMs: 1, bodiesInFlightBytesMax: 1 },
        notReady: () => undefined,
        isLeaving: () => false,
        isDraining: () => false,
        renderMetrics: () => '',
        metricsAccess: { open: 'nobody', token: undefined },
        onFault: () => undefined,
      })
      await respond(new Request('http://gateway/console/', { headers }), peer)
      expect(believed).toBe(expected)
    },
  )
})
