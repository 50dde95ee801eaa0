import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import { type OwnerFixture, openOwnerFixture } from './key-owner-fixture.ts'
import { type Caller, no } from './key-owner-table.ts'
import { type SignedInCallers, signInCallers } from './sign-in-callers.ts'

describe('priorities on SQLite', () => priorityTests())
if (postgresServerUrl('priorities on Postgres') !== undefined) {
  describe('priorities on Postgres', () => priorityTests(freshDatabase))
}

function priorityTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: OwnerFixture
  let callers: SignedInCallers
  const send: SignedInCallers['send'] = (...call) => callers.send(...call)

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openOwnerFixture(database?.url)
    callers = await signInCallers(fixture)
  })
  beforeEach(() => fixture.resetKeys())
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  describe('the priority of a key', () => {
    const member = 'the owner of the key'
    const patch = (caller: Caller, body: object) => send(caller, 'PATCH', '/keys/key_ann', body)
    const body = { accountId: 'acme', name: 'new', groups: ['default'] }

    test.each(['an owner of the account', 'an operator', 'a token of the account'] as const)(
      'is set by %s, and not by the member whose key it is',
      async (caller) => {
        const set = await patch(caller, { priority: 'low', isLocked: false })
        expect(set.json).toMatchObject({ priority: 'low', isLocked: false })
        const before = await fixture.rowOf('key_ann')
        for (const priority of ['high', 'normal', null]) {
          const told = await patch(member, { priority, quotaNano: '7' })
          expect(told.answer).toBe(no)
          expect(told.text).toContain('priority')
        }
        const put = { ...body, ownerId: 'u_ann', name: 'mine' }
        expect((await send(member, 'PUT', '/keys/key_ann', put)).answer).toBe(no)
        expect(await fixture.rowOf('key_ann')).toEqual(before)
        // The member may still change everything else.
        expect((await patch(member, { quotaNano: '7', priority: 'low' })).answer).toBe('200')
        expect((await fixture.rowOf('key_ann'))?.priority).toBe('low')
      },
    )

    test('is not chosen by a member for a new key', async () => {
      for (const priority of ['high', 'normal', 'low']) {
        expect((await send(member, 'POST', '/keys', { ...body, priority })).answer).toBe(no)
        expect((await send(member, 'PUT', '/keys/own', { ...body, priority })).answer).toBe(no)
      }
      expect((await send(member, 'POST', '/keys', { ...body, priority: null })).answer).toBe('200')
      const owners = { ...body, priority: 'normal' }
      expect((await send('an owner of the account', 'POST', '/keys', owners)).answer).toBe('200')
    })

    describe('above that of a group', () => {
      const owner = 'an owner of the account'
      const groups = [
        ['fast', 'high'],
        ['slow', 'low'],
      ] as const
      beforeAll(async () => {
        const rows = groups.map(([id, priority]) => ({
          id,

          factor_micro: 1_000_000,
          created_at: 1,
          priority,
        }))
        await fixture.engine.db.insertInto('service_group').values(rows).execute()
      })

      test.each([
        [['default'], 'high', no],
        [['default'], 'normal', '200'],
        [['default'], 'low', '200'],
        [['fast'], 'high', '200'],
        [['slow'], 'normal', no],
        [['slow'], 'low', '200'],
        [['fast', 'slow'], 'high', no],
        [['fast', 'default'], 'normal', '200'],
      ] as const)(
        'groups %p, priority %s, by an owner or a token of the account: %s',
        async (groups, priority, answer) => {
          for (const caller of [owner, 'a token of the account'] as const) {
            const made = await send(caller, 'POST', '/keys', { ...body, groups, priority })
            expect(made.answer).toBe(answer)
            if (answer === no) expect(made.text).toContain('operator')
            expect((await patch(caller, { groups, priority: null })).answer).toBe('200')
            expect((await patch(caller, { priority })).answer).toBe(answer)
          }
          expect(
            (await send('an operator', 'POST', '/keys', { ...body, groups, priority })).answer,
          ).toBe('200')
        },
      )

      // The operator lowers the priority of `fast`, which is high.
      test.each([
        [['fast'], 'high', 'normal', null],
        [['fast'], 'high', 'low', null],
        [['fast'], 'normal', 'normal', 'normal'],
        [['fast'], 'normal', 'low', null],
        [['fast'], 'low', 'low', 'low'],
        [['default', 'fast'], 'normal', 'low', null],
        [['fast', 'slow'], 'low', 'low', 'low'],
        // More than an owner could choose before: an operator has given it.
        [['fast', 'default'], 'high', 'low', 'high'],
        [['default'], 'high', 'low', 'high'],
      ] as const)(
        'groups %p, priority %s: when the group gets %s, the key has %p',
        async (groups, priority, lower, left) => {
          const set = (to: string) =>
            send('an operator', 'PATCH', '/operate/groups/fast', { priority: to })
          await patch('an operator', { groups, priority, isLocked: false })
          const before = await fixture.rowOf('key_ann')
          expect((await set(lower)).answer).toBe('200')
          expect(await fixture.rowOf('key_ann')).toEqual({ ...before, priority: left })
          const { db } = fixture.engine
          const entries = db.selectFrom('audit').selectAll().where('subject', '=', 'key_ann')
          const last = await entries.orderBy('seq', 'desc').executeTakeFirst()
          const isLowered = left !== priority
          expect(last?.before === JSON.stringify({ priority })).toBe(isLowered)
          if (isLowered) expect(last?.after).toBe('{"priority":null}')
          // A higher priority of the group changes no key.
          expect((await set('high')).answer).toBe('200')
          expect(await fixture.rowOf('key_ann')).toEqual({ ...before, priority: left })
          await patch('an operator', { groups: ['default'], priority: null })
        },
      )

      test('stays when an operator has given it, but not in another group', async () => {
        const given = { priority: 'high', groups: ['default'], isLocked: false }
        expect((await patch('an operator', given)).answer).toBe('200')
        for (const caller of [owner, member] as const) {
          expect(
            (await patch(caller, { quotaNano: '8', priority: 'high', isLocked: false })).answer,
          ).toBe('200')
          expect(
            (await patch(caller, { groups: ['default', 'slow'], isLocked: false })).answer,
          ).toBe(no)
          expect(
            (await patch(caller, { groups: ['default', 'fast'], isLocked: false })).answer,
          ).toBe('200')
        }
        expect(await fixture.rowOf('key_ann')).toMatchObject({
          priority: 'high',
          groups: '["default","fast"]',
        })
      })
    })
  })
}
