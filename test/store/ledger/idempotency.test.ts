import { describe, expect, test } from 'bun:test'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { grantCredit } from '../../../src/ledger/credits.ts'
import {
  hashOfRequest,
  IdempotencyProblem,
  idempotencyBodyCharactersMax,
  idempotencyKeptMs,
  idempotencyKeysMax,
  readIdempotencyKey,
  type StoredAnswer,
  sweepIdempotency,
  withIdempotency,
} from '../../../src/store/changes/idempotency.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { openFunds, readFunds } from './ledger-helpers.ts'

const nowMs = 1_800_000_000_000
let made = 0

/** Grants one nano and returns the number of grants; `fail` throws after the money has moved. */
function grant(
  engine: Engine,
  request: { key?: string; caller?: string; body?: unknown } = {},
  more: { nowMs?: number; fail?: Error; body?: string } = {},
): Promise<StoredAnswer> {
  const at = more.nowMs ?? nowMs
  const { key = 'k', caller = 'u', body = { amountNano: '1' } } = request
  const requestHash = hashOfRequest({ method: 'POST', path: '/credits', body })
  return write(engine, at, (writing) =>
    withIdempotency(writing, { caller, key, requestHash }, at, async () => {
      made += 1
      const id = `c-${made}`
      const credit = { id, accountId: 'a', amountNano: 1n, source: 't', externalId: id }
      await grantCredit(writing, { ...credit, reason: 'why', at })
      if (more.fail) throw more.fail
      return { status: 201, body: more.body ?? { id } }
    }),
  )
}

async function problemOf(answer: Promise<unknown>): Promise<string> {
  const error = await answer.catch((reason: unknown) => reason)
  if (!(error instanceof IdempotencyProblem)) throw new Error('it must be refused')
  return error.problem
}

async function balanceOf(engine: Engine): Promise<bigint> {
  expect(await findImbalances(engine)).toEqual([])
  return (await readFunds(engine)).accountNano
}

describe.each(sharedFixtures('idempotency'))('idempotency keys on $kind', (fixture) => {
  test('a repeated request changes nothing and gets the same response', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 10n })
    const first = await grant(engine)
    expect(first).toMatchObject({ status: 201, isReplayed: false })
    expect(await grant(engine, { body: { amountNano: '1' } })).toEqual({
      ...first,
      isReplayed: true,
    })
    expect(await balanceOf(engine)).toBe(11n)
  })

  test('twenty concurrent requests from two processes make one change', async () => {
    const [engine, other] = await fixture.openTwo()
    await openFunds(engine, { creditNano: 10n })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => grant(n % 2 === 0 ? engine : other)),
    )
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    expect(await balanceOf(engine)).toBe(11n)
  })

  test('twenty concurrent requests with different keys make twenty changes', async () => {
    const [engine, other] = await fixture.openTwo()
    await openFunds(engine, { creditNano: 10n })
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => grant(n % 2 === 0 ? engine : other, { key: `k${n}` })),
    )
    expect(await balanceOf(engine)).toBe(30n)
  })

  test('another request with the same key is rejected and moves no money', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 10n })
    await grant(engine)
    expect(await problemOf(grant(engine, { body: { amountNano: '2' } }))).toBe('reused')
    // Each caller has its own keys.
    expect((await grant(engine, { caller: 'v', body: { amountNano: '2' } })).isReplayed).toBe(false)
    expect(await balanceOf(engine)).toBe(12n)
  })

  test('a failed change moves no money, stores no key, and can be sent again', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 10n })
    const fail = new Error('cut')
    expect(await grant(engine, {}, { fail }).catch((error: unknown) => error)).toBe(fail)
    expect(await engine.db.selectFrom('admin_idempotency').selectAll().execute()).toEqual([])
    expect(await balanceOf(engine)).toBe(10n)
    expect((await grant(engine)).isReplayed).toBe(false)
    expect(await balanceOf(engine)).toBe(11n)
  })

  test('if the response is too long to keep, no money moves', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 10n })
    const body = 'x'.repeat(idempotencyBodyCharactersMax)
    const refused = await grant(engine, {}, { body }).catch((error: unknown) => String(error))
    expect(refused).toContain('too long to be stored')
    expect(await balanceOf(engine)).toBe(10n)
  })

  test('a key is valid for 24 hours and deleted in batches', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 10n })
    const first = await grant(engine)
    const last = { nowMs: nowMs + idempotencyKeptMs - 1 }
    expect((await grant(engine, {}, last)).isReplayed).toBe(true)
    // Expired but not swept: another request may use the key.
    const later = { nowMs: nowMs + idempotencyKeptMs }
    const second = await grant(engine, { body: 'other' }, later)
    expect(second).toMatchObject({ isReplayed: false })
    expect(second.body).not.toBe(first.body)
    expect((await grant(engine, { body: 'other' }, later)).isReplayed).toBe(true)
    expect(await balanceOf(engine)).toBe(12n)

    for (let n = 0; n < 5; n += 1) await grant(engine, { key: `old${n}` }, { nowMs: nowMs + n })
    const sweep = () => sweepIdempotency(engine, nowMs + idempotencyKeptMs + 10, 2)
    expect([await sweep(), await sweep(), await sweep(), await sweep()]).toEqual([2, 2, 1, 0])
    const left = await engine.db.selectFrom('admin_idempotency').select('key').execute()
    expect(left).toEqual([{ key: 'k' }])
  })

  test('the number of keys per caller is limited', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 10n })
    const row = { caller: 'u', request_hash: 'h', status: 200, body: '{}', at: nowMs }
    for (let at = 0; at < idempotencyKeysMax; at += 2_000) {
      const rows = Array.from({ length: 2_000 }, (_, n) => ({ ...row, key: `f${at + n}` }))
      await engine.db.insertInto('admin_idempotency').values(rows).execute()
    }
    expect(await problemOf(grant(engine))).toBe('full')
    expect((await grant(engine, { caller: 'v' })).isReplayed).toBe(false)
    expect(await balanceOf(engine)).toBe(11n)
  })
})

describe('when two requests count as the same', () => {
  const base = { method: 'POST', path: '/credits?x=1', body: { a: 1, b: [{ c: null, d: 'x' }] } }
  test('the order of members does not matter', () => {
    const turned = { ...base, body: { b: [{ d: 'x', c: null }], a: 1 } }
    expect(hashOfRequest(turned)).toBe(hashOfRequest(base))
  })
  test.each([
    { ...base, method: 'PUT' },
    { ...base, path: '/credits?x=2' },
    { ...base, path: '/credits' },
    { ...base, body: { a: 2, b: [{ c: null, d: 'x' }] } },
    { ...base, body: { a: '1', b: [{ c: null, d: 'x' }] } },
    { ...base, body: { a: 1, b: [{ d: 'x' }] } },
    { ...base, body: { a: 1, b: [{ c: null, d: 'x' }, 1] } },
    { ...base, body: { a: 1, b: [{ c: null, d: 'x' }], '2': 1 } },
    { ...base, body: null },
  ])('%j is another request', (other) => {
    expect(hashOfRequest(other)).not.toBe(hashOfRequest(base))
  })

  test.each([
    ['4f3c-9', true],
    ['x'.repeat(255), true],
    ['x'.repeat(256), false],
    ['', false],
    ['a b', false],
    ['é', false],
    ['a\u0000', false],
  ])('the key %j', (text, isGood) => {
    expect(readIdempotencyKey(text) === text).toBe(isGood)
  })
})
