import { describe, expect, test } from 'bun:test'
import { isIP } from 'node:net'
import fc from 'fast-check'
import {
  formatAddressRange,
  isInRange,
  parseAddressRange,
} from '../../../src/core/access/address-range.ts'
import { repeats } from '../../support/repeats.ts'

/** An address as its written-out bits: slow and simple. */
function bitsOf(address: string): string | undefined {
  if (isIP(address) === 4) {
    return address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('')
  }
  if (isIP(address) !== 6 || address.includes('%')) return undefined
  const [, head = '', embedded = ''] = /^(.*?)(\d+\.\d+\.\d+\.\d+)?$/.exec(address) ?? []
  const tail = embedded === '' ? '' : (bitsOf(embedded) ?? '')
  const [before = '', after] = head.replace(/(?<!:):$/, '').split('::')
  const wide = (groups: string) =>
    groups
      .split(':')
      .filter((group) => group !== '')
      .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
      .join('')
  const left = wide(before)
  const right = wide(after ?? '') + tail
  const bits = after === undefined ? left + right : left.padEnd(128 - right.length, '0') + right
  const mapped = `${'0'.repeat(80)}${'1'.repeat(16)}`
  return bits.startsWith(mapped) ? bits.slice(96) : bits
}

const ipv6 = fc.oneof(
  fc.ipV6(),
  fc.ipV4().map((address) => `::ffff:${address}`),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.map((group) => group.toString(16)).join(':')),
  fc.constantFrom('::', '::1', '1::', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', 'FE80::A'),
)
const addresses = fc.oneof(fc.ipV4(), ipv6)

describe('address ranges', () => {
  test('an address is in its own range, and in those of all its prefixes', () => {
    fc.assert(
      fc.property(addresses, fc.nat({ max: 128 }), (address, length) => {
        const bits = bitsOf(address) ?? ''
        const isMapped = bits.length === 32 && address.includes(':')
        const prefix = isMapped ? 96 + (length % 33) : length % (bits.length + 1)
        expect(isInRange(address, rangeOf(address))).toBe(true)
        expect(isInRange(address, rangeOf(`${address}/${prefix}`))).toBe(true)
      }),
    )
  })

  test.each([
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['::/0', '::/0'],
  ])('%s is written as %s, and read again as the same', (text, written) => {
    const range = parseAddressRange(text)
    if (!range) throw new Error(`${text} is not a range`)
    expect(formatAddressRange(range)).toBe(written)
    expect(parseAddressRange(written)).toEqual(range)
  })

  test('agrees with a comparison of written-out bits', () => {
    fc.assert(
      fc.property(addresses, addresses, fc.nat({ max: 128 }), (network, address, length) => {
        const networkBits = bitsOf(network) ?? ''
        const addressBits = bitsOf(address) ?? ''
        const prefix = length % (networkBits.length + 1)
        const isMapped = networkBits.length === 32 && network.includes(':')
        const range = rangeOf(`${network}/${isMapped ? prefix + 96 : prefix}`)
        const expected =
          networkBits.length === addressBits.length &&
          networkBits.slice(0, prefix) === addressBits.slice(0, prefix)
        expect(isInRange(address, range)).toBe(expected)
      }),
      { numRuns: repeats(300) },
    )
  })

  test('one bit inside the prefix is another network, one bit outside is not', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.nat({ max: 31 }), (...row) => {
        const [address, prefix, flipped] = row
        const bits = (bitsOf(address) ?? '').split('')
        bits[flipped] = bits[flipped] === '0' ? '1' : '0'
        const other = [0, 8, 16, 24].map((at) =>
          Number.parseInt(bits.slice(at, at + 8).join(''), 2),
        )
        expect(isInRange(other.join('.'), rangeOf(`${address}/${prefix}`))).toBe(flipped >= prefix)
      }),
    )
  })

  const inside: [string, string][] = [
    ['127.0.0.1', '127.0.0.0/8'],
    ['10.1.2.3', '0.0.0.0/0'],
    ['::ffff:10.1.2.3', '10.0.0.0/8'],
    ['::FFFF:10.1.2.3', '10.1.2.3'],
    ['::ffff:a01:203', '10.1.2.3'],
    ['10.1.2.3', '::ffff:10.1.2.3'],
    ['10.1.2.3', '::ffff:10.0.0.0/104'],
    ['10.1.2.3', '::ffff:0:0/96'],
    ['2001:DB8::1', '2001:db8::/32'],
    ['0:0:0:0:0:0:0:1', '::1'],
  ]
  test.each(inside)('%s is in %s', (address, range) => {
    expect(isInRange(address, rangeOf(range))).toBe(true)
  })

  const outside: [string, string][] = [
    ['128.0.0.1', '127.0.0.0/8'],
    ['::1', '0.0.0.0/0'],
    ['127.0.0.1', '::/0'],
    ['::10.1.2.3', '10.0.0.0/8'],
    ['2001:db9::1', '2001:db8::/32'],
    ['', '0.0.0.0/0'],
    ['unknown', '::/0'],
    ['10.1.2.3:80', '10.0.0.0/8'],
    ['010.0.0.1', '10.0.0.0/8'],
    ['fe80::1%eth0', 'fe80::/10'],
  ]
  test.each(outside)('%s is not in %s', (address, range) => {
    expect(isInRange(address, rangeOf(range))).toBe(false)
  })

  const refused = [
    '',
    '/',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/ 8',
  ]
    .concat(['256.0.0.1', '1.2.3', '1.2.3.4.5', '1.2.3.04', '010.0.0.0/8', 'localhost', '*'])
    .concat(['::/129', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7::8'])
    .concat(['::12345', '::g', '1.2.3.4::', '::1.2.3.4:5', '::ffff:10.0.0.0/8', ' ::1'])
  test.each(refused)('%j is not a range', (text) => {
    expect(parseAddressRange(text)).toBeUndefined()
  })

  test('every accepted address is valid for the operating system, too', () => {
    const pieces = fc.array(fc.constantFrom('1', '0', 'ff', '255', '256', '.', ':', '::', '/', '8'))
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join('')
        const [address = ''] = text.split('/')
        if (parseAddressRange(text) !== undefined) expect(isIP(address)).not.toBe(0)
        else if (text === address) expect(isIP(address)).toBe(0)
      }),
      { numRuns: repeats(2_000) },
    )
  })
})

function rangeOf(text: string) {
  const range = parseAddressRange(text)
  if (!range) throw new Error(`${text} is not a range`)
  return range
}
