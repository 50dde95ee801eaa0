import { describe, expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import type { KeyName } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

interface Row {
  readonly key: KeyName
  readonly forwardedFor?: string
  readonly status: number
  readonly address: string
}

const direct = withGateway()
const proxied = withGateway({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8'] })

async function expectRow(
  gateway: ReturnType<typeof direct>,
  { key, forwardedFor, status, address }: Row,
): Promise<void> {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  const reply = await gateway.ask({ key, headers, body: chatBody() })
  expect(reply.status).toBe(status)
  expect((await gateway.money.usageRow(reply.requestId)).client_address).toBe(address)
  if (status === 403) {
    expect(reply.json).toMatchObject({ error: { code: 'ip_not_allowed' } })
    expect(gateway.one.requests).toHaveLength(0)
  }
}

describe('without trusted proxies the peer is the client, whatever a header says', () => {
  const rows: Row[] = [
    { key: 'local', status: 200, address: '127.0.0.1' },
    { key: 'local', forwardedFor: '203.0.113.7', status: 200, address: '127.0.0.1' },
    { key: 'remote', status: 403, address: '127.0.0.1' },
    { key: 'remote', forwardedFor: '203.0.113.7', status: 403, address: '127.0.0.1' },
  ]
  test.each(rows)('$key, $forwardedFor', (row) => expectRow(direct(), row))
})

describe('behind a trusted proxy: the first untrusted address from the right is the client', () => {
  const rows: Row[] = [
    { key: 'local', status: 200, address: '127.0.0.1' },
    { key: 'local', forwardedFor: '203.0.113.7', status: 403, address: '203.0.113.7' },
    { key: 'remote', forwardedFor: '203.0.113.7', status: 200, address: '203.0.113.7' },
    { key: 'remote', forwardedFor: '2001:db8::7', status: 200, address: '2001:db8::7' },
    { key: 'remote', forwardedFor: '203.0.113.7:4711', status: 200, address: '203.0.113.7' },
    { key: 'remote', forwardedFor: '[2001:db8::7]:4711', status: 200, address: '2001:db8::7' },
    { key: 'remote', forwardedFor: '::ffff:203.0.113.7', status: 200, address: '203.0.113.7' },
    { key: 'remote', forwardedFor: '203.0.113.7, 10.1.2.3', status: 200, address: '203.0.113.7' },
    // Everything to the left of the first untrusted address may be forged.
    {
      key: 'remote',
      forwardedFor: '203.0.113.7, 198.51.100.9',
      status: 403,
      address: '198.51.100.9',
    },
    {
      key: 'remote',
      forwardedFor: '203.0.113.7, 198.51.100.9, 10.1.2.3',
      status: 403,
      address: '198.51.100.9',
    },
    { key: 'remote', forwardedFor: '', status: 403, address: '127.0.0.1' },
    { key: 'remote', forwardedFor: '203.0.113.7, ', status: 403, address: '127.0.0.1' },
    { key: 'remote', forwardedFor: 'nonsense', status: 403, address: 'nonsense' },
  ]
  test.each(rows)('$key, $forwardedFor', (row) => expectRow(proxied(), row))
})
