import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { ErrorAnswer, OperatorAccountDetail } from '../../../../src/console-api/contract.ts'
import { findImbalances } from '../../../../src/ledger/audit/conservation.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'

const credits = '/console/api/operate/accounts/acme/credits'
let fixture: ConsoleFixture
let cookie: string

beforeEach(async () => {
  fixture = await openConsoleFixture()
  cookie = await fixture.signIn('u_root')
})
afterEach(async () => {
  // Keys of the seed have spending without entries.
  const found = await findImbalances(fixture.engine)
  expect(found.filter(({ kind }) => kind !== 'key')).toEqual([])
  await fixture.close()
})

let number = 0

/** Each body has another external id, so that only the idempotency key shows that the request is the same. */
function credit(amountNano: string) {
  number += 1
  return { amountNano, reason: 'top-up', externalId: `form-${number}` }
}

function send(path: string, key: string | undefined, body: unknown = {}) {
  return fixture.post(path, {
    cookie,
    body,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })
}

async function available(): Promise<bigint> {
  const row = await fixture.engine.db
    .selectFrom('account')
    .select('available_nano')
    .where('id', '=', 'acme')
    .executeTakeFirstOrThrow()
  return row.available_nano
}

describe('a request that moves money, with an idempotency key', () => {
  test.each(['100', '-100'])(
    '%s is executed once, and a repeat gets the same response',
    async (amount) => {
      const before = await available()
      const body = credit(amount)
      const first = await send(credits, 'key-1', body)
      expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null])
      const text = await first.text()
      expect(text).toContain(body.externalId)
      await (await send(credits, undefined, credit('7'))).text()
      const again = await send(credits, 'key-1', body)
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
      expect(again.headers.get('content-type')).toContain('application/json')
      // The stored response, although more has happened since.
      expect(await again.text()).toBe(text)
      expect(await available()).toBe(before + BigInt(amount) + 7n)
    },
  )

  test('another request with the same key is refused', async () => {
    await (await send(credits, 'key-1', credit('100'))).text()
    const before = await available()
    const other = await send(credits, 'key-1', credit('100'))
    expect(other.status).toBe(422)
    expect((await readJson<ErrorAnswer>(other)).error.code).toBe('idempotency_key_reused')
    const elsewhere = await send(
      '/console/api/operate/accounts/globex/credits',
      'key-1',
      credit('1'),
    )
    expect(elsewhere.status).toBe(422)
    expect(await available()).toBe(before)
  })

  test('a refused request may be sent again with its key', async () => {
    const body = credit('-999999999999999')
    expect((await send(credits, 'key-1', body)).status).toBe(409)
    expect((await send(credits, 'key-1', body)).status).toBe(409)
    expect((await send(credits, 'key-1', credit('5'))).status).toBe(200)
  })

  test('a reversal happens once', async () => {
    const granted = await readJson<OperatorAccountDetail>(
      await send(credits, 'key-1', credit('100')),
    )
    // Two credits of one millisecond have no order.
    const made = granted.credits.find(({ amountNano }) => amountNano === '100')
    const path = `/console/api/operate/credits/${made?.id}/reverse`
    const before = await available()
    const first = await send(path, 'key-2')
    const again = await send(path, 'key-2')
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await again.text()).toBe(await first.text())
    expect(await available()).toBe(before - 100n)
  })

  test.each(['', 'a b', 'x'.repeat(256)])('the key %j is refused', async (key) => {
    const before = await available()
    const response = await send(credits, key, credit('100'))
    expect(response.status).toBe(400)
    expect((await readJson<ErrorAnswer>(response)).error).toMatchObject({
      field: 'idempotency-key',
      detail: 'idempotency_key_wrong',
    })
    expect(await available()).toBe(before)
  })
})
