import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'

/* Operations that the command line had before the APIs. */

let fixture: ConsoleFixture
let all: string
let asked = 0
beforeAll(async () => {
  fixture = await openConsoleFixture({
    gateway: {
      countLeftovers: () => ({ refusedRecords: 2, damagedLines: 0 }),
      replayRefused: async () => {
        asked += 1
        return { applied: 3, refused: 1, damaged: 0 }
      },
    },
  })
  all = await fixture.makeToken(['all'])
})
afterAll(() => fixture.close())

async function call(method: string, path: string, body?: unknown, token = all, headers = {}) {
  const response = await fixture.admin(token, method, path, {
    headers,
    ...(body !== undefined && { body }),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const audited = (action: string) =>
  fixture.engine.db.selectFrom('audit').selectAll().where('action', '=', action).execute()

describe('a key with a given value', () => {
  const value = 'brought-along-0123456789'
  const newKey = { accountId: 'acme', name: 'Brought', value }

  test('is created with the value, which is not in the audit log', async () => {
    const made = await call('POST', '/keys', newKey)
    expect([made.status, made.body.value]).toEqual([200, value])
    expect(JSON.stringify(made.body.key)).not.toContain(value)
    expect(JSON.stringify(await audited('key.created'))).not.toContain(value)
  })

  test('is refused when another key has the value; only an operator learns the id of that key', async () => {
    await call('POST', '/keys', newKey)
    const again = await call('POST', '/keys', newKey)
    expect([again.status, again.body.errors[0].code]).toEqual([409, 'value_taken'])
    const owner = await fixture.makeToken(['keys'], 'globex')
    const other = await call('POST', '/keys', { ...newKey, accountId: 'globex' }, owner)
    expect([other.status, other.body.errors[0].code]).toEqual([409, 'value_used'])
    expect(JSON.stringify(other.body)).not.toContain('key_')
  })

  test('cannot be created by every signed-in user', async () => {
    const cookie = await fixture.signIn('u_ann')
    const body = { ...newKey, value: 'another-value-0123456789' }
    const response = await fixture.post('/console/api/keys', { cookie, body })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({
      error: { field: 'value', detail: 'value_operator' },
    })
  })

  test.each(['short', 'with spaces 0123456789', 'x'.repeat(513)])(
    'must be one: %p',
    async (wrong) => {
      const said = await call('POST', '/keys', { ...newKey, value: wrong })
      expect([said.status, said.body.errors[0].pointer]).toEqual([400, '#/value'])
      expect(JSON.stringify(said.body)).not.toContain(wrong)
    },
  )

  test('only an operator learns that a group does not exist', async () => {
    const named = { accountId: 'acme', name: 'n', groups: ['no-such-group'] }
    expect((await call('POST', '/keys', named)).body.errors[0].code).toBe('group_unknown')
    const owner = await fixture.makeToken(['keys'], 'acme')
    const other = await call('POST', '/keys', named, owner)
    expect(other.body.errors[0].code).toBe('group_forbidden')
  })
})

describe('money', () => {
  test('the response says whether money moved, and a credit can be reversed by its external id', async () => {
    const credit = { amountNano: '5', reason: 'gift', externalId: 'own-number' }
    const grant = () => call('POST', '/accounts/globex/credits', credit)
    expect((await grant()).body.movedNano).toBe('5')
    expect((await grant()).body.movedNano).toBe('0')
    const reverse = () => call('POST', '/accounts/globex/reverse', { credit: 'own-number' })
    expect((await reverse()).body.movedNano).toBe('-5')
    expect((await reverse()).body.movedNano).toBe('0')
  })

  test('a credit that is named after a reversal does not prevent the reversal, nor pass for it', async () => {
    const give = (externalId: string, amountNano: string) =>
      call('POST', '/accounts/globex/credits', { amountNano, reason: 'gift', externalId })
    await give('slip', '9')
    const slip = await fixture.engine.db
      .selectFrom('credit')
      .select('id')
      .where('external_id', '=', 'slip')
      .executeTakeFirstOrThrow()
    expect((await give(`reversal:${slip.id}`, '3')).body.movedNano).toBe('3')
    const reverse = () => call('POST', '/accounts/globex/reverse', { credit: 'slip' })
    expect((await reverse()).body.movedNano).toBe('-9')
    expect((await reverse()).body.movedNano).toBe('0')
    const { external_id } = await fixture.engine.db
      .selectFrom('credit')
      .select('external_id')
      .where('reverses', '=', slip.id)
      .executeTakeFirstOrThrow()
    const same = await give(external_id, '-9')
    expect([same.status, same.body.errors[0].code]).toEqual([409, 'credit_taken'])
  })

  test('a balance that the database could not count exactly is refused, and stays as it is', async () => {
    const before = (await call('GET', '/accounts/globex')).body.availableNano
    const grant = (number: number) =>
      call('POST', '/accounts/globex/credits?confirm=true', {
        amountNano: '1000000000000000000',
        reason: 'a slip',
        externalId: `slip-${number}`,
      })
    const made = [await grant(1), await grant(2), await grant(3)]
    expect(made.map(({ status }) => status)).toEqual([200, 200, 200])
    const full = (await call('GET', '/accounts/globex')).body.availableNano
    const refused = await grant(4)
    expect([refused.status, refused.body.errors[0]]).toMatchObject([
      409,
      { code: 'balance_too_large', pointer: '#/amountNano', values: { max: '$4000000000.00' } },
    ])
    expect((await call('GET', '/accounts/globex')).body.availableNano).toBe(full)
    for (const number of [1, 2, 3])
      await call('POST', '/accounts/globex/reverse', { credit: `slip-${number}` })
    expect((await call('GET', '/accounts/globex')).body.availableNano).toBe(before)
  })

  test.each([
    ['another amount', 'globex', '7'],
    ['a correction', 'globex', '-5'],
    ['another account', 'acme', '5'],
  ])('an external id that is in use is refused for %s', async (_, account, amountNano) => {
    const first = { amountNano: '5', reason: 'gift', externalId: 'in-use' }
    expect((await call('POST', '/accounts/globex/credits', first)).status).toBe(200)
    const balanceOf = async (id: string) =>
      (await call('GET', `/accounts/${id}`)).body.availableNano
    const before = [await balanceOf('globex'), await balanceOf('acme')]
    const other = { ...first, amountNano, reason: 'another' }
    const headers = { 'idempotency-key': `in-use-${account}${amountNano}` }
    const said = await call('POST', `/accounts/${account}/credits`, other, undefined, headers)
    expect([said.status, said.body.errors[0]]).toMatchObject([
      409,
      {
        code: 'credit_taken',
        pointer: '#/externalId',
        values: { id: 'in-use', account: 'globex', amount: '$0.000000005' },
      },
    ])
    expect([await balanceOf('globex'), await balanceOf('acme')]).toEqual(before)
  })

  test.each([
    ['acme', 'own-number', 404, undefined],
    ['nowhere', 'own-number', 404, undefined],
  ])('of %s, %s is %p', async (account, credit, status) => {
    const said = await call('POST', `/accounts/${account}/reverse`, { credit })
    expect([said.status, said.body.code]).toEqual([status, 'not_found'])
  })

  const from = 10_000n * 1_000_000_000n
  const large = { amountNano: String(from), reason: 'gift', externalId: 'large' }

  test.each([
    ['a grant', '/accounts/globex/credits', large, 'amountNano'],
    [
      'an initial credit',
      '/accounts',
      { id: 'rich', name: 'Rich', creditNano: String(from) },
      'creditNano',
    ],
  ])(
    '%s of the amount that needs a confirmation is refused without one',
    async (_, path, body, field) => {
      const headers = { 'idempotency-key': `large-${field}` }
      const ask = (search: string) => call('POST', `${path}${search}`, body, undefined, headers)
      const before = (await call('GET', '/accounts/globex')).body.availableNano
      for (const search of ['', '?confirm=false']) {
        const said = await ask(search)
        expect([said.status, said.body.errors[0]]).toMatchObject([
          409,
          { code: 'credit_unconfirmed', values: { from: '$10000.00', amount: '$10000.00' } },
        ])
      }
      expect((await call('GET', '/accounts/globex')).body.availableNano).toBe(before)
      expect((await call('GET', '/accounts/rich')).status).toBe(404)
      // The refused requests have not used up the idempotency key, and the grant happens once.
      const [first, second] = [await ask('?confirm=true'), await ask('?confirm=true')]
      expect([first.status, second.status]).toEqual([200, 200])
      expect(second.body).toEqual(first.body)
      // A command asks without the confirmation first, also when a person repeats the command.
      const repeated = await ask('')
      expect([repeated.status, repeated.body]).toEqual([200, first.body])
      const id = field === 'creditNano' ? 'rich' : 'globex'
      const rest = field === 'creditNano' ? 0n : BigInt(before)
      expect(BigInt((await call('GET', `/accounts/${id}`)).body.availableNano)).toBe(rest + from)
    },
  )

  test('smaller grants, and corrections of any amount, need no confirmation', async () => {
    const credit = (amountNano: bigint, externalId: string) =>
      call('POST', '/accounts/globex/credits', {
        amountNano: String(amountNano),
        reason: 'r',
        externalId,
      })
    expect((await credit(from - 1n, 'smaller')).status).toBe(200)
    expect((await credit(-from, 'correction')).status).toBe(200)
  })

  test.each(['by id', 'by name'] as const)(
    'the reversal of a large correction, %s, is a grant: it needs a confirmation, a repetition does not',
    async (way) => {
      const externalId = `undone ${way}`.replaceAll(' ', '-')
      const body = { amountNano: String(from), reason: 'r', externalId: `for-${externalId}` }
      expect((await call('POST', '/accounts/globex/credits?confirm=true', body)).status).toBe(200)
      const taken = { amountNano: String(-from), reason: 'r', externalId }
      const corrected = await call('POST', '/accounts/globex/credits', taken)
      expect(corrected.status).toBe(200)
      const before = BigInt(corrected.body.availableNano)
      const { id } = await fixture.engine.db
        .selectFrom('credit')
        .select('id')
        .where('external_id', '=', externalId)
        .executeTakeFirstOrThrow()
      const ask = (search: string) =>
        way === 'by id'
          ? call('POST', `/credits/${id}/reverse${search}`)
          : call('POST', `/accounts/globex/reverse${search}`, { credit: externalId })
      for (const search of ['', '?confirm=false']) {
        const said = await ask(search)
        expect([said.status, said.body.errors[0]]).toMatchObject([
          409,
          { code: 'credit_unconfirmed', values: { from: '$10000.00', amount: '$10000.00' } },
        ])
        const { availableNano } = (await call('GET', '/accounts/globex')).body
        expect(BigInt(availableNano)).toBe(before)
      }
      expect((await ask('?confirm=true')).body.movedNano).toBe(String(from))
      const again = await ask('')
      expect([again.status, again.body.movedNano]).toEqual([200, '0'])
      expect(BigInt(again.body.availableNano)).toBe(before + from)
    },
  )

  test('a document with a large credit for a new account needs a confirmation, once, and a dry run none', async () => {
    const document = { accounts: [{ id: 'lavish', name: 'Lavish', credit: 10_000 }] }
    const ask = (search: string) => call('POST', `/provision${search}`, document)
    expect((await ask('?dryRun=true')).status).toBe(200)
    const said = await ask('')
    expect([said.status, said.body.errors[0]]).toMatchObject([
      409,
      { code: 'credit_unconfirmed', values: { from: '$10000.00', amount: '$10000.00' } },
    ])
    // All or nothing.
    expect((await call('GET', '/accounts/lavish')).status).toBe(404)
    expect((await ask('?confirm=true')).status).toBe(200)
    expect((await call('GET', '/accounts/lavish')).body.availableNano).toBe(String(from))
    expect((await ask('')).status).toBe(200)
    expect((await call('GET', '/accounts/lavish')).body.availableNano).toBe(String(from))
  })

  test('an external id of two credits is refused, and no money moves', async () => {
    const row = { account_id: 'globex', amount_nano: 1n, external_id: 'twice', reason: 'r' }
    await fixture.engine.db
      .insertInto('credit')
      .values([
        { ...row, id: 'credit_t1', source: 'one', created_at: 1 },
        { ...row, id: 'credit_t2', source: 'two', created_at: 1 },
      ])
      .execute()
    const before = (await call('GET', '/accounts/globex')).body.availableNano
    const said = await call('POST', '/accounts/globex/reverse', { credit: 'twice' })
    expect([said.status, said.body.errors[0]]).toMatchObject([
      409,
      { code: 'credit_ambiguous', values: { ids: 'credit_t1, credit_t2' } },
    ])
    expect((await call('GET', '/accounts/globex')).body.availableNano).toBe(before)
    await fixture.engine.db.deleteFrom('credit').where('external_id', '=', 'twice').execute()
  })

  test('an id names its credit, even if it is the external id of another one', async () => {
    const grant = async (externalId: string) => {
      const body = { amountNano: '5', reason: 'gift', externalId }
      const { credits, movedNano } = (await call('POST', '/accounts/globex/credits', body)).body
      expect(movedNano).toBe('5')
      return credits.find((each: { externalId: string }) => each.externalId === externalId).id
    }
    const first = await grant('named-1')
    const second = await grant(first)
    const reverse = (credit: string) => call('POST', '/accounts/globex/reverse', { credit })
    const isReversed = async () => {
      const { credits } = (await call('GET', '/accounts/globex')).body
      const of = (id: string) => credits.find((each: { id: string }) => each.id === id).isReversed
      return [of(first), of(second)]
    }
    expect((await reverse(first)).body.movedNano).toBe('-5')
    expect(await isReversed()).toEqual([true, false])
    expect((await reverse(first)).body.movedNano).toBe('0')
    expect(await isReversed()).toEqual([true, false])
    expect((await reverse(second)).body.movedNano).toBe('-5')
    expect(await isReversed()).toEqual([true, true])
  })

  test('the statement of the ledger requires the right to read money', async () => {
    const read = await call('GET', '/accounts/acme/statement?from=0')
    expect(read.status).toBe(200)
    expect(read.body.spending.length).toBeGreaterThan(0)
    const reversed = await call('GET', '/accounts/acme/statement?from=2&to=1')
    expect(reversed.status).toBe(422)
    const keys = await fixture.makeToken(['keys'])
    expect((await call('GET', '/accounts/acme/statement', undefined, keys)).status).toBe(403)
  })
})

describe('the ledger', () => {
  test('is checked with the scope read', async () => {
    const read = await fixture.makeToken(['read'])
    const checked = await call('POST', '/check-ledger', undefined, read)
    expect(checked.body).toMatchObject({ isInOrder: false, refusedRecords: 2, damagedLines: 0 })
    expect(checked.body.checks.map((each: { rule: string }) => each.rule)).toEqual([
      'L1',
      'L2',
      'L8',
    ])
  })

  test('a replay requires the right to move money, and is in the audit log', async () => {
    const keys = await fixture.makeToken(['read', 'keys'])
    expect((await call('POST', '/replay', undefined, keys)).status).toBe(403)
    expect(asked).toBe(0)
    const done = await call('POST', '/replay')
    expect(done.body).toEqual({ applied: 3, refused: 1, damaged: 0 })
    expect(await audited('ledger.replayed')).toMatchObject([
      { after: '{"applied":3,"refused":1,"damaged":0}' },
    ])
  })

  test('the system state names the calling token', async () => {
    const { body } = await call('GET', '/system')
    expect(body.token).toMatchObject({ name: 'test', scopes: ['all'], expiresAt: null })
    const cookie = await fixture.signIn('u_root')
    const response = await fixture.get('/console/api/operate/system', { cookie })
    expect(await response.json()).toMatchObject({ token: null })
  })
})
