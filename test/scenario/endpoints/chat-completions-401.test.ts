import { describe, expect, test } from 'bun:test'
import { systemRandom } from '../../../src/core/id.ts'
import { setKeyEnabled } from '../../../src/keys/key-store.ts'
import { mintKeyValue } from '../../../src/keys/key-value.ts'
import { write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import type { KeyValues } from '../../support/gateway/test-database.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

type HeadersOf = (keys: KeyValues) => Record<string, string>
const bearer = (value: string) => ({ authorization: `Bearer ${value}` })

/** Changes the last character and keeps the checksum. */
function mistype(value: string): string {
  const last = value.at(-7) === 'a' ? 'b' : 'a'
  return `${value.slice(0, -7)}${last}${value.slice(-6)}`
}

describe('an invalid key', () => {
  const rows: [string, HeadersOf][] = [
    ['no key', () => ({})],
    ['an empty bearer token', () => bearer('')],
    ['the scheme alone', () => ({ authorization: 'Bearer' })],
    ['a key without a scheme', (keys) => ({ authorization: keys.plain })],
    ['another scheme', (keys) => ({ authorization: `Basic ${btoa(`user:${keys.plain}`)}` })],
    ['two words after the scheme', (keys) => bearer(`${keys.plain} ${keys.plain}`)],
    ['a truncated key', (keys) => bearer(keys.plain.slice(0, -1))],
    ['a key with trailing text', (keys) => bearer(`${keys.plain}x`)],
    ['a mistyped key', (keys) => bearer(mistype(keys.plain))],
    ['a well-formed key that was never created', () => bearer(mintKeyValue(systemRandom))],
    ['a custom value that was never created', () => bearer('brought-along-by-nobody-at-all')],
    ['a part of a custom value', (keys) => bearer(keys.imported.slice(0, -1))],
    ['a disabled key', (keys) => bearer(keys.disabled)],
    ['an expired key', (keys) => bearer(keys.expired)],
    ['an id instead of a value', () => bearer('plain')],
    ['a key of 10,000 characters', () => ({ 'x-api-key': 'k'.repeat(10_000) })],
    ['SQL', () => ({ 'x-api-key': "' OR '1'='1' -- 0123456789" })],
    ['two different keys', (keys) => ({ ...bearer(keys.plain), 'x-api-key': keys.other })],
    [
      'a valid and an invalid key',
      (keys) => ({ ...bearer(keys.plain), 'x-goog-api-key': 'sk-something-else' }),
    ],
  ]

  test.each(rows)('%s', async (_, headersOf) => {
    const { ask, keys, one, money } = gateway()
    const before = await money.counts()
    const reply = await ask({ headers: headersOf(keys), body: chatBody() })
    expect(reply.status).toBe(401)
    expect(reply.json).toEqual({
      error: {
        message: expect.stringContaining('Invalid token'),
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_token',
      },
    })
    expect(reply.headers.get('content-type')).toBe('application/json')
    expect(reply.requestId).not.toBe('')
    expect(reply.headers.get('x-request-id')).toBe(reply.requestId)
    expect(one.requests).toHaveLength(0)
    expect(await money.counts()).toEqual(before)
  })

  test('unknown, disabled and expired keys get the same response', async () => {
    const { ask, keys } = gateway()
    const texts = new Set<string>()
    for (const value of [mintKeyValue(systemRandom), keys.disabled, keys.expired]) {
      texts.add((await ask({ headers: bearer(value), body: chatBody() })).text)
    }
    expect(texts.size).toBe(1)
  })

  test('a key in the query counts only in the protocol that allows it', async () => {
    const { ask, keys } = gateway()
    const path = `/v1/chat/completions?key=${keys.plain}`
    expect((await ask({ path, body: chatBody() })).status).toBe(401)
  })
})

describe('a valid key', () => {
  const rows: [string, HeadersOf][] = [
    ['as a bearer token', (keys) => bearer(keys.plain)],
    ['with the scheme in lower case', (keys) => ({ authorization: `bearer ${keys.plain}` })],
    ['in x-api-key', (keys) => ({ 'x-api-key': keys.plain })],
    ['in x-goog-api-key', (keys) => ({ 'x-goog-api-key': keys.plain })],
    ['in x-vendor-api-key', (keys) => ({ 'x-vendor-api-key': keys.plain })],
    ['twice, with the same value', (keys) => ({ ...bearer(keys.plain), 'x-api-key': keys.plain })],
    ['beside an empty header', (keys) => ({ ...bearer(keys.plain), 'x-api-key': '' })],
    ['with a custom value', (keys) => bearer(keys.imported)],
  ]
  test.each(rows)('%s', async (_, headersOf) => {
    const { ask, keys } = gateway()
    expect((await ask({ headers: headersOf(keys), body: chatBody() })).status).toBe(200)
  })
})

describe('over time', () => {
  test('a key expires at the exact millisecond', async () => {
    const { ask, clock } = gateway()
    const endsAtMs = Date.parse('2100-01-01T00:00:00Z')
    const askOnce = async () => (await ask({ key: 'expiring', path: '/v1/models' })).status
    clock.freezeAt(endsAtMs - 1)
    expect(await askOnce()).toBe(200)
    clock.freezeAt(endsAtMs)
    expect(await askOnce()).toBe(401)
  })

  test('a key that is disabled stops, and works again when it is enabled', async () => {
    const { ask, engine, one } = gateway()
    const statusIs = (status: number) => async () =>
      (await ask({ key: 'other', body: chatBody() })).status === status
    expect(await statusIs(200)()).toBe(true)
    await write(engine, Date.now(), (writing) => setKeyEnabled(writing, 'other', false))
    await eventually('the key stops', statusIs(401))
    one.reset()
    expect(await statusIs(401)()).toBe(true)
    expect(one.requests).toHaveLength(0)
    await write(engine, Date.now(), (writing) => setKeyEnabled(writing, 'other', true))
    await eventually('the key works again', statusIs(200))
  })
})
