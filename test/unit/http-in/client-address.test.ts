import { describe, expect, test } from 'bun:test'
import { parseAddressRange } from '../../../src/core/access/address-range.ts'
import { clientAddress } from '../../../src/http-in/client-address.ts'

type Row = [trusted: string[], peer: string, forwarded: string | null, expected: string]

const rows: Row[] = [
  // No proxy is trusted: the header is ignored.
  [[], '203.0.113.9', null, '203.0.113.9'],
  [[], '203.0.113.9', '10.0.0.1', '203.0.113.9'],
  [[], '127.0.0.1', '10.0.0.1', '127.0.0.1'],
  [[], '::ffff:203.0.113.9', null, '203.0.113.9'],
  [[], '::1', '10.0.0.1', '::1'],
  // The peer is not trusted, so its header does not count.
  [['10.0.0.0/8'], '203.0.113.9', '10.0.0.1', '203.0.113.9'],
  [['10.0.0.0/8'], '203.0.113.9', '127.0.0.1, 10.0.0.1', '203.0.113.9'],
  // The peer is trusted: the rightmost untrusted address is the client.
  [['10.0.0.0/8'], '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  [['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, 198.51.100.7', '198.51.100.7'],
  [['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, 198.51.100.7, 10.0.0.2', '198.51.100.7'],
  [['10.0.0.0/8'], '10.0.0.1', '127.0.0.1, 198.51.100.7,10.0.0.2 , 10.0.0.3', '198.51.100.7'],
  [['10.0.0.0/8'], '::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
  [['10.0.0.0/8'], '10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
  [['::1'], '::1', '2001:db8::7', '2001:db8::7'],
  [['10.0.0.0/8', '2001:db8::/32'], '10.0.0.1', '198.51.100.7, 2001:db8::7', '198.51.100.7'],
  // Only proxies: the farthest of them.
  [['10.0.0.0/8'], '10.0.0.1', null, '10.0.0.1'],
  [['10.0.0.0/8'], '10.0.0.1', '', '10.0.0.1'],
  [['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  // Ports and brackets.
  [['10.0.0.0/8'], '10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
  [['10.0.0.0/8'], '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
  [['10.0.0.0/8'], '10.0.0.1', '[2001:db8::7]', '2001:db8::7'],
  [['10.0.0.0/8'], '10.0.0.1', '198.51.100.7, 10.0.0.2:80', '198.51.100.7'],
  // An empty entry ends the reading: everything to its left may be forged.
  [['10.0.0.0/8'], '10.0.0.1', '198.51.100.7, ', '10.0.0.1'],
  [['10.0.0.0/8'], '10.0.0.1', '127.0.0.1,,10.0.0.2', '10.0.0.2'],
  // Text that is not an address counts as untrusted, and matches no list.
  [['10.0.0.0/8'], '10.0.0.1', '127.0.0.1, unknown', 'unknown'],
  [['10.0.0.0/8'], '10.0.0.1', '127.0.0.1, _hidden', '_hidden'],
]

describe('the client address', () => {
  test.each(rows)('trusted %j, peer %s, forwarded %j: %s', (trusted, peer, forwarded, expected) => {
    const ranges = trusted.map(parseAddressRange).filter((range) => range !== undefined)
    expect(ranges).toHaveLength(trusted.length)
    expect(clientAddress(peer, forwarded, ranges)).toBe(expected)
  })
})
