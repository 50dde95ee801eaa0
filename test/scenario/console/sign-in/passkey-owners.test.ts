import { expect, test } from 'bun:test'
import { passkeysMax } from '../../../../src/accounts/definition/passkey.ts'
import {
  challengeLifetimeMs,
  openChallengesMax,
} from '../../../../src/accounts/passkey-challenges.ts'
import { addResetLink } from '../../../../src/accounts/sign-in-link.ts'
import { signInLimits } from '../../../../src/console-api/access/sign-in-throttle.ts'
import type {
  AuditAnswer,
  MemberAdded,
  PasskeyCreation,
  PasskeyQuestion,
  SessionAnswer,
  UserWithLink,
} from '../../../../src/console-api/contract.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { write } from '../../../../src/store/changes/write.ts'
import {
  addressHeader,
  cookieOf,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { annPassword } from '../../../support/console/console-seed.ts'
import {
  type AuthenticatorFaults,
  SoftwareAuthenticator,
} from '../../../support/software-authenticator.ts'
import {
  add,
  ann,
  api,
  ask,
  codeOf,
  errorOf,
  fixture,
  lastAudit,
  listOf,
  minuteMs,
  party,
  passkeySuite,
  send,
  signIn,
} from './passkey-suite.ts'

passkeySuite('passkeys of users', (kind) => {
  test('belongs to one user and has a name; a user has at most twenty', async () => {
    const { device } = await add(ann)
    const bob = await fixture.signIn('u_bob')
    expect((await errorOf((await add(bob, device)).response)).detail).toBe('passkey_taken')
    const [own] = await listOf(ann)
    const place = `/passkeys/${own?.id}`
    expect(await codeOf(send('PATCH', place, bob, { name: 'Mine' }))).toBe('not_found')
    expect(await codeOf(send('DELETE', place, bob))).toBe('not_found')
    expect(await codeOf(send('PATCH', place, ann, { name: ' ' }))).toBe('invalid_request')
    expect((await send('PATCH', place, ann, { name: 'Phone' })).status).toBe(200)
    expect(await listOf(ann)).toMatchObject([{ name: 'Phone' }])
    const row = await fixture.engine.db.selectFrom('passkey').selectAll().executeTakeFirstOrThrow()
    const more = Array.from({ length: passkeysMax - 1 }, (_, index) => ({
      ...row,
      id: `more${index}`,
      credential_id: `more${index}`,
    }))
    const options = await readJson<PasskeyCreation>(send('POST', '/passkeys/start', ann))
    await fixture.engine.db.insertInto('passkey').values(more).execute()
    expect((await errorOf(send('POST', '/passkeys/start', ann))).detail).toBe('passkeys_many')
    const made = new SoftwareAuthenticator(party.origin).create(options)
    const late = send('POST', '/passkeys', ann, { name: 'One more', ...made })
    expect((await errorOf(late)).detail).toBe('passkeys_many')
  })

  test('the last way to sign in stays', async () => {
    const root = await fixture.signIn('u_root')
    const { device } = await add(root)
    fixture.passTime(1)
    await add(root)
    const [first, second] = await listOf(root)
    // A passkey of a former host name is not a way to sign in.
    const passkeys = fixture.engine.db.updateTable('passkey')
    await passkeys
      .set({ rp_id: 'old.example.com' })
      .where('id', '=', second?.id ?? '')
      .execute()
    const remove = (id = '') => send('DELETE', `/passkeys/${id}`, root)
    expect((await errorOf(remove(first?.id))).detail).toBe('passkey_last')
    expect((await signIn(device)).status).toBe(200)
    await passkeys
      .set({ rp_id: party.id })
      .where('id', '=', second?.id ?? '')
      .execute()
    const both = await Promise.all([remove(first?.id), remove(second?.id)])
    expect(both.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
      200, 409,
    ])
    expect(await listOf(root)).toHaveLength(1)
  })

  test('is needed before a stale session without a password may set one', async () => {
    const root = await fixture.signIn('u_root')
    const { device } = await add(root)
    fixture.passTime(10 * minuteMs)
    const set = () => send('POST', '/password', root, { password: 'another horse battery' })
    expect(await codeOf(set())).toBe('reauthenticate')
    const question = await readJson<PasskeyQuestion>(
      send('POST', '/reauthenticate/passkey/start', root),
    )
    await send('POST', '/reauthenticate/passkey', root, device.get(question))
    expect((await set()).status).toBe(200)
    await fixture.engine.db
      .updateTable('console_user')
      .set({ password_hash: null })
      .where('id', '=', 'u_root')
      .execute()
  })

  test('is both factors, while a password still needs the code', async () => {
    const { device } = await add(ann)
    const users = fixture.engine.db.updateTable('console_user').where('id', '=', 'u_ann')
    const sealed = fixture.vault.seal(Buffer.alloc(20).toString('base64url'), 'totp secret')
    await users.set({ totp_sealed: sealed }).execute()
    const byPassword = { email: 'ann@example.com', password: annPassword }
    expect(await codeOf(send('POST', '/sign-in', undefined, byPassword))).toBe('code_needed')
    expect((await signIn(device)).status).toBe(200)
    await users.set({ totp_sealed: null }).execute()
  })

  test('is removed by an operator, and with the user', async () => {
    const { device } = await add(ann)
    const root = await fixture.signIn('u_root')
    const place = '/operate/users/u_ann/passkeys/remove'
    expect(await codeOf(send('POST', place, ann))).toBe('not_allowed')
    expect(await readJson(send('POST', place, root))).toMatchObject({ id: 'u_ann', passkeys: 0 })
    expect(await lastAudit('user.passkeys-cleared')).toMatchObject({
      actor: 'u_root',
      subject: 'u_ann',
      before: '{"passkeys":1}',
    })
    expect(await codeOf(signIn(device))).toBe('wrong_credentials')
  })

  test('are removed by a password reset, because somebody else may have added them', async () => {
    const { device } = await add(ann)
    const { engine, vault } = fixture
    const link = { userId: 'u_ann', vault, random: systemRandom, nowMs: fixture.nowMs() }
    const token = await write(engine, fixture.nowMs(), ({ tx }) => addResetLink(tx, link))
    const reset = { token, password: annPassword }
    expect((await send('POST', '/password-reset', undefined, reset)).status).toBe(200)
    expect(await codeOf(signIn(device))).toBe('wrong_credentials')
    expect(await lastAudit('user.reset-password')).toMatchObject({ before: '{"passkeys":1}' })
  })

  test('of an invited login open only that login, and end when its address is verified', async () => {
    const owen = await fixture.signIn('u_owen')
    const email = `ida-${kind}@example.com`
    const added = await readJson<MemberAdded>(
      send('POST', '/accounts/acme/members', owen, { email, role: 'member' }),
    )
    const token = added.invitationUrl?.split('#')[1]
    const ida = cookieOf(await send('POST', '/invitation', undefined, { token }))
    const { device } = await add(ida)
    const { user } = await readJson<SessionAnswer>(signIn(device))
    expect(user).toMatchObject({ id: added.member.userId, invitedTo: 'acme' })
    const root = await fixture.signIn('u_root')
    await send('POST', `/operate/users/${added.member.userId}/vouch`, root)
    expect(await codeOf(signIn(device))).toBe('wrong_credentials')
    expect(await fixture.engine.db.selectFrom('passkey').select('id').execute()).toEqual([])
    // Deleting a user deletes the passkeys.
    const again = await fixture.signIn(added.member.userId)
    expect((await add(again)).response.status).toBe(200)
    await send('DELETE', `/operate/users/${added.member.userId}`, root)
    expect(await fixture.engine.db.selectFrom('passkey').select('id').execute()).toEqual([])
  })

  test('does not name its deleted user in the audit log', async () => {
    const root = await fixture.signIn('u_root')
    const user = { email: `gone-${kind}@example.com`, role: 'member', accounts: [] }
    const made = await readJson<UserWithLink>(send('POST', '/operate/users', root, user))
    const { id } = made.user
    const cookie = await fixture.signIn(id)
    await add(cookie)
    const [passkey] = await listOf(cookie)
    await send('PATCH', `/passkeys/${passkey?.id}`, cookie, { name: 'root@example.com' })
    expect((await send('DELETE', `/operate/users/${id}`, root)).status).toBe(200)
    const path = `${api}/operate/audit?subject=${id}`
    const { rows } = await readJson<AuditAnswer>(fixture.get(path, { cookie: root }))
    const names = new Map(rows.map(({ action, subjectName }) => [action, subjectName]))
    expect(names.get('user.passkey-added')).toBeNull()
    expect(names.get('user.passkey-renamed')).toBeNull()
    expect(names.get('user.deleted')).toBe(user.email)
  })

  test('failed attempts lock the user out as wrong passwords do, and a lockout is recorded', async () => {
    const { device } = await add(ann)
    const stranger = { [addressHeader]: '203.0.113.77' }
    const attempt = async (lie: AuthenticatorFaults) => {
      const started = await fixture.post(`${api}/sign-in/passkey/start`, { headers: stranger })
      const question = await readJson<PasskeyQuestion>(started)
      return fixture.post(`${api}/sign-in/passkey`, {
        headers: stranger,
        cookie: cookieOf(started),
        body: device.get(question, lie),
      })
    }
    for (let count = 0; count < signInLimits.perPair.burst; count += 1) {
      expect((await attempt({ isUserVerified: false })).status).toBe(401)
    }
    const locked = await attempt({})
    expect(locked.status).toBe(429)
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await lastAudit('user.sign-in-locked')).toMatchObject({ subject: 'u_ann' })
    // The same limit as for passwords: the password is locked from there too.
    const password = await fixture.post(`${api}/sign-in`, {
      headers: stranger,
      body: { email: 'ann@example.com', password: annPassword },
    })
    expect(password.status).toBe(429)
  })

  test('challenges are limited by address and in number, and are deleted when they expire', async () => {
    const count = async () =>
      Number(
        (
          await fixture.engine.db
            .selectFrom('passkey_challenge')
            .select(({ fn }) => fn.countAll().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
      )
    const from77 = { [addressHeader]: '203.0.113.78' }
    const start = () => fixture.post(`${api}/sign-in/passkey/start`, { headers: from77 })
    for (let made = 0; made < signInLimits.challengesPerAddress.burst; made += 1) await start()
    expect((await start()).status).toBe(429)
    expect(await count()).toBe(signInLimits.challengesPerAddress.burst)
    fixture.passTime(challengeLifetimeMs)
    const { question } = await ask()
    expect(await count()).toBe(1)
    // A session has at most one open challenge for each purpose.
    for (let made = 0; made < 3; made += 1) {
      await send('POST', '/reauthenticate/passkey/start', ann)
    }
    expect(await count()).toBe(2)
    const rows = Array.from({ length: openChallengesMax }, (_, index) => ({
      challenge_hash: `h${index}`,
      purpose: 'sign-in',
      holder_hash: 'x',
      expires_at: fixture.nowMs() + index,
    }))
    for (let at = 0; at < rows.length; at += 1000) {
      await fixture.engine.db
        .insertInto('passkey_challenge')
        .values(rows.slice(at, at + 1000))
        .execute()
    }
    await ask()
    expect(await count()).toBeLessThanOrEqual(openChallengesMax + 1)
    expect(question.challenge).toHaveLength(43)
  })

  test('no secret of a passkey leaves the gateway', async () => {
    const { device } = await add(ann)
    await signIn(device)
    const row = await fixture.engine.db.selectFrom('passkey').selectAll().executeTakeFirstOrThrow()
    const root = await fixture.signIn('u_root')
    const texts = [
      await (await fixture.get(`${api}/passkeys`, { cookie: ann })).text(),
      await (await fixture.get(`${api}/operate/users`, { cookie: root })).text(),
      await (await fixture.get(`${api}/operate/provision`, { cookie: root })).text(),
      JSON.stringify(await fixture.engine.db.selectFrom('audit').selectAll().execute()),
    ]
    for (const text of texts) {
      expect(text).not.toContain(row.credential_id)
      expect(text).not.toContain(row.public_key)
    }
  })
})

test('without a suitable URL passkeys are disabled, with a reason', async () => {
  const plain = await openConsoleFixture()
  const ann = await plain.signIn('u_ann')
  const session = await readJson<SessionAnswer>(plain.get(`${api}/session`, { cookie: ann }))
  expect(session).toMatchObject({ passkeyOrigin: null, user: { hasPasskey: false } })
  const host = { host: 'localhost' }
  for (const path of [
    '/sign-in/passkey/start',
    '/reauthenticate/passkey/start',
    '/passkeys/start',
  ]) {
    const response = await plain.post(`${api}${path}`, { cookie: ann, headers: host })
    expect((await errorOf(response)).detail).toBe('passkeys_off')
  }
  await plain.close()
})
