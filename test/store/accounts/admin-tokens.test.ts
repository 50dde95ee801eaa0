import { describe, expect, test } from 'bun:test'
import { putMember, removeMember } from '../../../src/accounts/member-store.ts'
import { removeLogin } from '../../../src/accounts/remove-login.ts'
import { changeLogin } from '../../../src/accounts/user-store.ts'
import type { AdminToken } from '../../../src/admin-tokens/admin-token.ts'
import type { TokenSettings } from '../../../src/admin-tokens/definition/token.ts'
import { findToken } from '../../../src/admin-tokens/find-token.ts'
import {
  listTokens,
  liveTokensMax,
  namesOfTokens,
  readToken,
  revokeToken,
  type TokenCreator,
} from '../../../src/admin-tokens/token-store.ts'
import { TokenUses } from '../../../src/admin-tokens/token-uses.ts'
import { mintTokenValue } from '../../../src/admin-tokens/token-value.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { address, make, nowMs, people, refusalOf, statusOf, vault } from './token-helpers.ts'

describe.each(sharedFixtures('admin tokens'))('admin tokens on $kind', (fixture) => {
  test('a token is found by its value, which is not in the database', async () => {
    const engine = await fixture.openMigrated()
    await people(engine)
    const settings = { accountId: 'a', expiresAt: nowMs + 1, addresses: ['10.0.0.0/8'] }
    const { token, value } = await make(engine, settings)
    expect(value).toMatch(/^tgat_[0-9A-Za-z]{48}$/)
    const verdict = await findToken(engine, vault, { value, address, nowMs })
    expect(verdict).toEqual({ isGood: true, token })
    expect(token).toMatchObject({
      name: 'ci',
      scopes: ['keys'],
      accountId: 'a',
      addresses: ['10.0.0.0/8'],
      expiresAtMs: nowMs + 1,
      madeBy: 'cli',
      creatorId: undefined,
    })
    const rows = await engine.db.selectFrom('admin_token').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(value.slice(5, 40))
  })

  test.each([
    ['unknown', async () => mintTokenValue(systemRandom), {}, 401],
    ['truncated', async (value: string) => value.slice(0, -1), {}, 401],
    ['of another type', async (value: string) => value.replace('tgat_', 'sk-'), {}, 401],
    ['empty', async () => '', {}, 401],
    ['very long', async (value: string) => value.repeat(10_000), {}, 401],
    ['expiring now', async (value: string) => value, { nowMs: nowMs + 5 }, 401],
    ['not expired', async (value: string) => value, { nowMs: nowMs + 4 }, 200],
    ['used from another address', async (value: string) => value, { address: '11.0.0.1' }, 403],
    ['used without an address', async (value: string) => value, { address: '' }, 403],
    [
      'used over a dual-stack socket',
      async (value: string) => value,
      { address: '::ffff:10.0.0.1' },
      200,
    ],
  ] as const)('one that is %s', async (_, presented, more, status) => {
    const engine = await fixture.openMigrated()
    const { value } = await make(engine, { expiresAt: nowMs + 5, addresses: ['10.0.0.0/8'] })
    expect(await statusOf(engine, await presented(value), more)).toBe(status)
  })

  test('every well-formed value costs one statement, valid or not', async () => {
    const engine = await fixture.openMigrated()
    const good = await make(engine)
    const revoked = await make(engine)
    await write(engine, nowMs, (writing) => revokeToken(writing, revoked.token.id, nowMs))
    let statements = 0
    const db = engine.db.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const counts: number[] = []
    for (const value of [good.value, revoked.value, mintTokenValue(systemRandom)]) {
      statements = 0
      await findToken({ db }, vault, { value, address, nowMs })
      counts.push(statements)
    }
    expect(counts).toEqual([1, 1, 1])
  })

  test('an unreadable list allows no address, and an unknown scope is ignored', async () => {
    const engine = await fixture.openMigrated()
    const { token, value } = await make(engine)
    const change = (columns: { addresses?: string; scopes?: string }) =>
      engine.db.updateTable('admin_token').set(columns).where('id', '=', token.id).execute()
    await change({ scopes: '["read","everything","all "]' })
    expect((await readToken(engine.db, token.id))?.scopes).toEqual(['read'])
    await change({ addresses: 'x' })
    expect(await statusOf(engine, value)).toBe(403)
  })

  const losses: readonly (readonly [
    name: string,
    creator: 'ann' | 'owen',
    accountId: string | null,
    lose: (writing: Writing, userId: string) => Promise<unknown>,
    status: number,
  ])[] = [
    ['an owner who is still an owner', 'owen', 'a', async () => undefined, 200],
    [
      'an owner who is now a member',
      'owen',
      'a',
      (w, userId) => putMember(w, { userId, accountId: 'a', role: 'member' }),
      401,
    ],
    [
      'an owner who has left',
      'owen',
      'a',
      (w, userId) => removeMember(w, { userId, accountId: 'a' }),
      401,
    ],
    [
      'an owner who is suspended',
      'owen',
      'a',
      (w, userId) => changeLogin(w, userId, { isSuspended: true }),
      401,
    ],
    ['an owner who is deleted', 'owen', 'a', (w, userId) => removeLogin(w, userId), 401],
    [
      'an owner who now owns another account',
      'owen',
      'a',
      async (w, userId) => {
        await removeMember(w, { userId, accountId: 'a' })
        await putMember(w, { userId, accountId: 'b', role: 'owner' })
      },
      401,
    ],
    ['an operator who is still an operator', 'ann', null, async () => undefined, 200],
    [
      'a former operator',
      'ann',
      null,
      (w, userId) => changeLogin(w, userId, { role: 'member' }),
      401,
    ],
    [
      'an operator who is suspended',
      'ann',
      null,
      (w, userId) => changeLogin(w, userId, { isSuspended: true }),
      401,
    ],
    [
      'a former operator, for an account',
      'ann',
      'a',
      (w, userId) => changeLogin(w, userId, { role: 'member' }),
      401,
    ],
    [
      'an operator who became an owner of the account',
      'ann',
      'a',
      async (w, userId) => {
        await changeLogin(w, userId, { role: 'member' })
        await putMember(w, { userId, accountId: 'a', role: 'owner' })
      },
      200,
    ],
    [
      'an operator who became an owner, for the whole gateway',
      'ann',
      null,
      async (w, userId) => {
        await changeLogin(w, userId, { role: 'member' })
        await putMember(w, { userId, accountId: 'a', role: 'owner' })
      },
      401,
    ],
  ]
  test.each(losses)('a token of %s', async (_, name, accountId, lose, status) => {
    const engine = await fixture.openMigrated()
    const userId = (await people(engine))[name]
    const { token, value } = await make(
      engine,
      { accountId, scopes: ['all'] },
      { kind: 'user', userId },
    )
    expect(await statusOf(engine, value)).toBe(200)
    // Tokens that the token has created have no more rights than the token.
    const child = await make(engine, {}, { kind: 'token', tokenId: token.id })
    await write(engine, 2, (writing) => lose(writing, userId))
    expect([await statusOf(engine, value), await statusOf(engine, child.value)]).toEqual([
      status,
      status,
    ])
  })

  test('no user can create a token with more rights than their own', async () => {
    const engine = await fixture.openMigrated()
    const { ann, owen, mia } = await people(engine)
    const by = (userId: string, settings: Partial<TokenSettings>) =>
      refusalOf(make(engine, settings, { kind: 'user', userId }))
    const notOwned = ['account_not_owned', 'accountId']
    expect(await by(owen, { accountId: 'b' })).toEqual(notOwned)
    expect(await by(owen, {})).toEqual(notOwned)
    expect(await by(mia, { accountId: 'a' })).toEqual(notOwned)
    expect(await by('nobody', { accountId: 'a' })).toBe('maker_gone')
    expect(await by(ann, { accountId: 'none' })).toEqual(['account_unknown', 'accountId'])
    expect(await by(ann, { expiresAt: nowMs })).toEqual(['expiry_past', 'expiresAt'])
    await write(engine, 2, (writing) => changeLogin(writing, ann, { isSuspended: true }))
    expect(await by(ann, {})).toBe('maker_gone')
    expect(await listTokens(engine.db, { rowsMax: 10 })).toEqual([])
  })

  test('a token cannot create a token with more rights than its own', async () => {
    const engine = await fixture.openMigrated()
    await people(engine)
    const limits = { accountId: 'a', expiresAt: nowMs + 100, addresses: ['10.0.0.0/8', '::1'] }
    const parent = await make(engine, { scopes: ['all'], ...limits })
    const creator: TokenCreator = { kind: 'token', tokenId: parent.token.id }
    // Absent settings are inherited.
    const child = await make(engine, { scopes: ['keys', 'usage'] }, creator)
    expect(child.token).toMatchObject({
      scopes: ['keys', 'usage'],
      accountId: 'a',
      expiresAtMs: nowMs + 100,
      addresses: limits.addresses,
      madeBy: `token:${parent.token.id}`,
      parentId: parent.token.id,
    })
    const narrow = { accountId: 'a', expiresAt: nowMs + 99, addresses: ['10.9.0.0/16'] }
    expect((await make(engine, { scopes: ['all'], ...narrow }, creator)).token).toMatchObject({
      expiresAtMs: nowMs + 99,
      addresses: ['10.9.0.0/16'],
    })
    const beyond = (settings: Partial<TokenSettings>) => refusalOf(make(engine, settings, creator))
    expect(await beyond({ accountId: 'b' })).toEqual(['beyond_maker', 'accountId'])
    expect(await beyond({ expiresAt: nowMs + 101 })).toEqual(['beyond_maker', 'expiresAt'])
    for (const wide of ['0.0.0.0/0', '10.0.0.0/7', '11.0.0.1', '::/0']) {
      expect(await beyond({ addresses: ['10.1.1.1', wide] })).toEqual(['beyond_maker', 'addresses'])
    }
    const byChild: TokenCreator = { kind: 'token', tokenId: child.token.id }
    expect(await refusalOf(make(engine, { scopes: ['keys'] }, byChild))).toBe('maker_scope')
    expect(await refusalOf(make(engine, {}, { kind: 'token', tokenId: 'none' }))).toBe('maker_gone')
  })

  test('revoking a token also revokes the tokens it created, once', async () => {
    const engine = await fixture.openMigrated()
    const made = [await make(engine, { scopes: ['all'] })]
    for (let depth = 0; depth < 3; depth += 1) {
      const tokenId = made.at(-1)?.token.id ?? ''
      made.push(await make(engine, { scopes: ['all'] }, { kind: 'token', tokenId }))
    }
    const other = await make(engine)
    const revoke = (id: string) =>
      write(engine, nowMs, (writing) => revokeToken(writing, id, nowMs))
    const [first, second, ...rest] = made
    const ids = (tokens: typeof made) => tokens.map(({ token }) => token.id).toSorted()
    expect(await revoke(second?.token.id ?? '')).toEqual(ids(made.slice(1)))
    expect(await revoke(second?.token.id ?? '')).toEqual([])
    expect(await revoke('none')).toEqual([])
    const statuses = await Promise.all(made.map(({ value }) => statusOf(engine, value)))
    expect(statuses).toEqual([200, 401, 401, 401])
    expect(await statusOf(engine, other.value)).toBe(200)
    expect(first?.token.revokedAtMs).toBeUndefined()
    const tokenId = rest.at(-1)?.token.id ?? ''
    expect(await refusalOf(make(engine, {}, { kind: 'token', tokenId }))).toBe('maker_gone')
  })

  test('a list is paged, newest first, and filtered by account', async () => {
    const engine = await fixture.openMigrated()
    await people(engine)
    for (const accountId of ['a', 'b', 'a', null, 'a']) await make(engine, { accountId })
    const read = async (accountIds?: readonly string[]) => {
      const ids: string[] = []
      let after: AdminToken | undefined
      for (;;) {
        const page = await listTokens(engine.db, { accountIds, after, rowsMax: 2 })
        ids.push(...page.map(({ id }) => id))
        after = page.at(-1)
        if (page.length < 2) return ids
      }
    }
    const all = await read()
    expect(new Set(all).size).toBe(5)
    expect((await read(['a'])).length).toBe(3)
    expect((await read(['a', 'b'])).length).toBe(4)
    expect(await read([])).toEqual([])
    const [newest = ''] = all
    expect(await namesOfTokens(engine.db, [newest, 'none'])).toEqual(new Map([[newest, 'ci']]))
    expect(await namesOfTokens(engine.db, [])).toEqual(new Map())
  })

  test('the number of live tokens is limited', async () => {
    const engine = await fixture.openMigrated()
    const { token } = await make(engine)
    const { db } = engine
    const row = await db.selectFrom('admin_token').selectAll().executeTakeFirstOrThrow()
    const rows = Array.from({ length: liveTokensMax - 1 }, (_, n) => ({
      ...row,
      id: `t${n}`,
      value_hash: `h${n}`,
    }))
    for (let at = 0; at < rows.length; at += 200) {
      await db
        .insertInto('admin_token')
        .values(rows.slice(at, at + 200))
        .execute()
    }
    expect(await refusalOf(make(engine))).toBe('tokens_many')
    await write(engine, nowMs, (writing) => revokeToken(writing, token.id, nowMs))
    await make(engine)
  })

  test('the last use is written after the request, once a minute for all processes', async () => {
    const [engine, other] = await fixture.openTwo()
    const { token } = await make(engine)
    const errors: unknown[] = []
    const uses = new TokenUses(engine, (error) => errors.push(error))
    const others = new TokenUses(other, (error) => errors.push(error))
    const last = async () => {
      await Promise.all([uses.written(), others.written()])
      const { usedAtMs, usedAddress } = (await readToken(engine.db, token.id)) ?? {}
      return [usedAtMs, usedAddress]
    }
    expect(await last()).toEqual([undefined, undefined])
    for (let n = 0; n < 100; n += 1)
      uses.note(token.id, { address: `10.0.0.${n}`, atMs: nowMs + n })
    expect(await last()).toEqual([nowMs, '10.0.0.0'])
    others.note(token.id, { address: '::2', atMs: nowMs + 59_999 })
    expect(await last()).toEqual([nowMs, '10.0.0.0'])
    uses.note(token.id, { address: '::3', atMs: nowMs + 60_000 })
    expect(await last()).toEqual([nowMs + 60_000, '::3'])
    uses.note('none', { address: '::3', atMs: nowMs })
    expect(await last()).toEqual([nowMs + 60_000, '::3'])
    expect(errors).toEqual([])
    const broken = engine.db.withPlugin({
      transformQuery: () => {
        throw new Error('no database')
      },
      transformResult: async ({ result }) => result,
    })
    const lost = new TokenUses({ db: broken }, (error) => errors.push(error))
    lost.note(token.id, { address: '::4', atMs: nowMs + 999_999 })
    await lost.written()
    expect(errors).toHaveLength(1)
  })
})
