import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { putMember, removeMember } from '../../../../src/accounts/member-store.ts'
import { closeAllSessions } from '../../../../src/accounts/session-store.ts'
import { changeLogin } from '../../../../src/accounts/user-store.ts'
import { csrfHeader, csrfValue, type ErrorAnswer } from '../../../../src/console-api/contract.ts'
import { type Writing, write } from '../../../../src/store/changes/write.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'
import { annPassword } from '../../../support/console/console-seed.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

/*
 * A caller begins a change and sends the end of the body only after losing the permission. The change must not happen:
 * otherwise a dismissed administrator could keep a few requests open and undo the dismissal with them.
 */

const api = '/console/api'

describe('on SQLite', () => lostRights())
if (postgresServerUrl('lost rights on Postgres') !== undefined) {
  describe('on Postgres', () => lostRights(freshDatabase))
}

function lostRights(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: ConsoleFixture
  /** Called when the console has found a session or a token. */
  let onLookUp = () => {}
  /** Called when the console has found the roles of a user. */
  let onRolesFound = () => {}
  /** Called when the console has found a user whose password it is about to check. */
  let onPersonFound = () => {}

  beforeEach(async () => {
    database = await makeDatabase?.()
    fixture = await openConsoleFixture({
      ...(database && { databaseUrl: database.url }),
      onSelected: (from) => {
        if (/"(?:session|admin_token)"/.test(from)) onLookUp()
        else if (from.includes('"membership"')) onRolesFound()
        else if (from.includes('"console_user"')) onPersonFound()
      },
    })
  })
  afterEach(async () => {
    await fixture.close()
    await database?.drop()
  })

  const change = (work: (writing: Writing) => Promise<unknown>) =>
    write(fixture.engine, fixture.nowMs(), work)

  /** Sends all but the last character of the body, runs `meanwhile`, and sends the rest. */
  async function sendSlowly(
    [method, path]: readonly [string, string],
    body: unknown,
    headers: Record<string, string>,
    meanwhile: () => Promise<unknown>,
    isAfterRoles = false,
  ): Promise<readonly (string | number)[]> {
    const text = JSON.stringify(body)
    const lookedUp = new Promise<void>((resolve) => {
      if (isAfterRoles) onRolesFound = resolve
      else onLookUp = resolve
    })
    const isDone = Promise.withResolvers<void>()
    async function* pieces() {
      yield text.slice(0, -1)
      await isDone.promise
      yield text.slice(-1)
    }
    const answer = fetch(`${fixture.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: pieces,
    } as unknown as RequestInit)
    await lookedUp
    await meanwhile()
    isDone.resolve()
    const response = await answer
    if (response.ok) return [response.status]
    const problem = (await response.json()) as ErrorAnswer & { code?: string }
    return [response.status, problem.error?.code ?? problem.code ?? '']
  }

  const nameOf = async (id: string) =>
    (
      await fixture.engine.db
        .selectFrom('account')
        .select('name')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).name

  const losses: readonly {
    readonly name: string
    readonly who: string
    readonly lose: (cookie: string) => Promise<unknown>
    readonly answer: readonly (string | number)[]
  }[] = [
    { name: 'nothing is lost', who: 'u_owen', lose: async () => {}, answer: [200] },
    {
      name: 'the user is suspended',
      who: 'u_owen',
      lose: () => change((writing) => changeLogin(writing, 'u_owen', { isSuspended: true })),
      answer: [401, 'not_signed_in'],
    },
    {
      name: 'the session is ended',
      who: 'u_owen',
      lose: () => change(({ tx }) => closeAllSessions(tx, 'u_owen')),
      answer: [401, 'not_signed_in'],
    },
    {
      name: 'the user signs out',
      who: 'u_owen',
      lose: async (cookie) => (await fixture.post(`${api}/sign-out`, { cookie })).text(),
      answer: [401, 'not_signed_in'],
    },
    {
      name: 'an administrator is demoted',
      who: 'u_root',
      lose: () => change((writing) => changeLogin(writing, 'u_root', { role: 'member' })),
      answer: [403, 'not_allowed'],
    },
    {
      name: 'an administrator is suspended',
      who: 'u_root',
      lose: () => change((writing) => changeLogin(writing, 'u_root', { isSuspended: true })),
      answer: [401, 'not_signed_in'],
    },
  ]
  for (const { name, who, lose, answer } of losses) {
    test(`while the body of a change arrives, ${name}`, async () => {
      const cookie = await fixture.signIn(who)
      const headers = { cookie, [csrfHeader]: csrfValue }
      const before = await nameOf('acme')
      const target = ['PATCH', `${api}/accounts/acme`] as const
      const body = { name: 'Renamed too late' }
      expect(await sendSlowly(target, body, headers, () => lose(cookie))).toEqual([...answer])
      expect(await nameOf('acme')).toBe(answer[0] === 200 ? body.name : before)
    })
  }

  test('a dismissed administrator cannot undo the dismissal with a request begun before', async () => {
    const headers = { cookie: await fixture.signIn('u_root'), [csrfHeader]: csrfValue }
    const target = ['PATCH', `${api}/operate/users/u_owen`] as const
    const answer = await sendSlowly(target, { role: 'admin' }, headers, () =>
      change((writing) => changeLogin(writing, 'u_root', { role: 'member', isSuspended: true })),
    )
    expect(answer).toEqual([401, 'not_signed_in'])
    const { role } = await fixture.engine.db
      .selectFrom('console_user')
      .select('role')
      .where('id', '=', 'u_owen')
      .executeTakeFirstOrThrow()
    expect(role).toBe('member')
  })

  test('an administrator who becomes a member meanwhile does not act as an owner', async () => {
    await change(({ tx }) =>
      tx
        .insertInto('membership')
        .values({ user_id: 'u_root', account_id: 'acme', role: 'member' })
        .execute(),
    )
    const headers = { cookie: await fixture.signIn('u_root'), [csrfHeader]: csrfValue }
    const body = { accountId: 'acme', ownerId: null, name: 'late', groups: ['default'] }
    const answer = await sendSlowly(['POST', `${api}/keys`], body, headers, () =>
      change((writing) => changeLogin(writing, 'u_root', { role: 'member' })),
    )
    expect(answer).toEqual([403, 'not_allowed'])
  })

  const alert = {
    accountId: 'acme',
    name: 'Late',
    channel: 'webhook',
    url: 'https://hooks.example.com/x',
    secret: 'a-long-random-text-of-yours',
    kinds: ['credit_low'],
  }
  const token = { name: 't', scopes: ['all'], accountId: 'acme', expiresAt: null, addresses: null }
  const ofOwners: readonly (readonly [method: string, path: string, body: object])[] = [
    ['POST', '/alerts', alert],
    ['PUT', '/alerts/known', { ...alert, name: 'Late' }],
    ['PATCH', '/alerts/known', { name: 'Late' }],
    ['POST', '/tokens', token],
  ]
  const endings: Record<string, (writing: Writing) => Promise<unknown>> = {
    'becomes a member': (writing) =>
      putMember(writing, { userId: 'u_owen', accountId: 'acme', role: 'member' }),
    'is removed': (writing) => removeMember(writing, { userId: 'u_owen', accountId: 'acme' }),
  }
  for (const [method, path, body] of ofOwners) {
    for (const [name, end] of Object.entries(endings)) {
      test(`${method} ${path}: an owner of two accounts ${name} in one of them meanwhile`, async () => {
        const owner = { userId: 'u_owen', accountId: 'globex', role: 'owner' } as const
        await change((writing) => putMember(writing, owner))
        const headers = { cookie: await fixture.signIn('u_owen'), [csrfHeader]: csrfValue }
        const known = { ...alert, name: 'Known' }
        const put = await fixture.send('PUT', `${api}/alerts/known`, {
          cookie: headers.cookie,
          body: known,
        })
        expect(put.status).toBe(201)
        const target = [method, `${api}${path}`] as const
        const answer = await sendSlowly(target, body, headers, () => change(end), true)
        expect(answer).toEqual([403, 'not_allowed'])
        const alerts = await fixture.engine.db.selectFrom('alert').select('name').execute()
        expect(alerts).toEqual([{ name: 'Known' }])
        const tokens = await fixture.engine.db.selectFrom('admin_token').select('id').execute()
        expect(tokens).toEqual([])
      })
    }
  }

  const meanwhiles: readonly (readonly [string, (writing: Writing) => Promise<unknown>, number])[] =
    [
      ['nothing changes', async () => {}, 200],
      [
        'the password is changed',
        async (writing) => {
          await changeLogin(writing, 'u_ann', { passwordHash: 'another' })
          await closeAllSessions(writing.tx, 'u_ann')
        },
        401,
      ],
      [
        'an authenticator app is set up',
        ({ tx }) =>
          tx
            .updateTable('console_user')
            .set({ totp_sealed: 'a secret' })
            .where('id', '=', 'u_ann')
            .execute(),
        401,
      ],
      [
        'the user is suspended',
        (writing) => changeLogin(writing, 'u_ann', { isSuspended: true }),
        401,
      ],
    ]
  for (const [name, meanwhile, status] of meanwhiles) {
    test(`while a password is checked, ${name}`, async () => {
      const found = new Promise<void>((resolve) => {
        onPersonFound = resolve
      })
      const body = { email: 'ann@example.com', password: annPassword }
      // The sign-in waits for its turn to write until this change is made, however quickly it has checked the password.
      let answer: Promise<Response> | undefined
      await change(async (writing) => {
        answer = fixture.post(`${api}/sign-in`, { body })
        await found
        await meanwhile(writing)
      })
      expect((await answer)?.status).toBe(status)
      const sessions = await fixture.engine.db.selectFrom('session').selectAll().execute()
      expect(sessions).toHaveLength(status === 200 ? 1 : 0)
    })
  }

  for (const isRevoked of [false, true]) {
    test(`while the body of a change arrives, a token is ${isRevoked ? '' : 'not '}revoked`, async () => {
      const value = await fixture.makeToken(['all'], 'acme')
      const before = await nameOf('acme')
      const target = ['PATCH', '/admin/v1/accounts/acme/profile'] as const
      const body = { name: 'Renamed by a token' }
      const headers = { authorization: `Bearer ${value}` }
      const answer = await sendSlowly(target, body, headers, async () => {
        if (!isRevoked) return
        await change(({ tx }) => tx.updateTable('admin_token').set({ revoked_at: 1 }).execute())
      })
      expect(answer).toEqual(isRevoked ? [401, 'invalid_token'] : [200])
      expect(await nameOf('acme')).toBe(isRevoked ? before : body.name)
    })
  }
}
