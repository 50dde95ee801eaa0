import { expect, test } from 'bun:test'
import { sealPurpose } from '../../../../src/accounts/second-factor.ts'
import { totpCode } from '../../../../src/accounts/totp.ts'
import { putUser } from '../../../../src/accounts/user-store.ts'
import type { SessionAnswer } from '../../../../src/console-api/contract.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { write } from '../../../../src/store/changes/write.ts'
import { hashPassword } from '../../../../src/store/secrets/password.ts'
import { cookieOf, readJson } from '../../../support/console/console-fixture.ts'
import { annPassword } from '../../../support/console/console-seed.ts'
import {
  add,
  ann,
  api,
  ask,
  errorOf,
  fixture,
  listOf,
  passkeySuite,
  send,
} from './passkey-suite.ts'

/*
 * Whoever got into a session before must not stay signed in after the user, or somebody who acts for the user, has
 * changed how the user signs in.
 */

const secret = new Uint8Array(20).fill(9)
const codeNow = () => totpCode(secret, Math.floor(fixture.nowMs() / 30_000))
const sealed = () => fixture.vault.seal(Buffer.from(secret).toString('base64url'), sealPurpose)
const setUser = (columns: object) =>
  fixture.engine.db.updateTable('console_user').set(columns).where('id', '=', 'u_ann').execute()
const setTotp = () => setUser({ totp_sealed: sealed(), totp_step: 0 })
const userOf = async (cookie: string) =>
  (await readJson<SessionAnswer>(fixture.get(`${api}/session`, { cookie }))).user?.id
const removeFirst = async () => {
  const [passkey] = await listOf(ann)
  return send('DELETE', `/passkeys/${passkey?.id}`, ann)
}
const asRoot = async (path: string) => send('POST', path, await fixture.signIn('u_root'))

type Change = readonly [
  name: string,
  keepsOwn: boolean,
  prepare: () => Promise<unknown>,
  go: () => Promise<Response>,
]

passkeySuite('sessions after a change of the sign-in', () => {
  const changes: readonly Change[] = [
    ['adding a passkey', true, async () => {}, async () => (await add(ann)).response],
    ['removing a passkey', true, () => add(ann), removeFirst],
    [
      'setting up an authenticator app',
      true,
      () => setUser({ totp_wanted_sealed: sealed() }),
      () => send('POST', '/totp/confirm', ann, { code: codeNow() }),
    ],
    [
      'removing the authenticator app',
      true,
      setTotp,
      () => send('POST', '/totp/remove', ann, { code: codeNow() }),
    ],
    [
      'changing the password',
      true,
      async () => {},
      () => send('POST', '/password', ann, { password: annPassword }),
    ],
    [
      'the removal of the passkeys by an administrator',
      false,
      () => add(ann),
      () => asRoot('/operate/users/u_ann/passkeys/remove'),
    ],
    [
      'the removal of the authenticator app by an administrator',
      false,
      setTotp,
      () => asRoot('/operate/users/u_ann/totp/remove'),
    ],
  ]
  for (const [name, keepsOwn, prepare, go] of changes) {
    test(`${name} ends the other sessions of the user`, async () => {
      await setUser({ totp_sealed: null, totp_wanted_sealed: null })
      await prepare()
      const other = await fixture.signIn('u_ann')
      const bob = await fixture.signIn('u_bob')
      expect((await go()).status).toBe(200)
      expect(await userOf(other)).toBeUndefined()
      expect(await userOf(ann)).toBe(keepsOwn ? 'u_ann' : undefined)
      expect(await userOf(bob)).toBe('u_bob')
      await setUser({ totp_sealed: null })
    })
  }

  type SignIn = (cookie: string) => Promise<Response>
  const own = { email: 'ann@example.com', password: annPassword }
  const signIns: readonly [name: string, prepare: () => Promise<SignIn>][] = [
    ['a password', async () => (cookie) => send('POST', '/sign-in', cookie, own)],
    [
      'a passkey',
      async () => {
        const { device } = await add(ann)
        const asked = await ask()
        const answer = device.get(asked.question)
        return (cookie) => send('POST', '/sign-in/passkey', `${cookie}; ${asked.cookie}`, answer)
      },
    ],
    [
      'a sign-in link',
      async () => {
        const token = await fixture.mintLink('u_ann')
        return (cookie) => send('POST', '/sign-in-link', cookie, { token })
      },
    ],
  ]
  for (const [name, prepare] of signIns) {
    test(`a sign-in with ${name} ends the session that the browser had, and no other`, async () => {
      await setUser({ totp_sealed: null, totp_wanted_sealed: null })
      for (const userId of ['u_ann', 'u_bob']) {
        const go = await prepare()
        const before = await fixture.signIn(userId)
        const entered = await go(before)
        expect(entered.status).toBe(200)
        expect(await userOf(cookieOf(entered))).toBe('u_ann')
        expect(await userOf(before)).toBeUndefined()
        expect(await userOf(ann)).toBe('u_ann')
      }
    })
  }

  test('a refused sign-in leaves the session of the browser open', async () => {
    const wrong = { email: 'ann@example.com', password: 'not the password' }
    expect((await errorOf(send('POST', '/sign-in', ann, wrong))).code).toBe('wrong_credentials')
    expect((await send('POST', '/sign-in-link', ann, { token: 'x'.repeat(43) })).ok).toBe(false)
    expect(await userOf(ann)).toBe('u_ann')
  })

  test('a refused or ineffective change ends none', async () => {
    await setTotp()
    const other = await fixture.signIn('u_ann')
    const wrong = send('POST', '/totp/remove', ann, { code: '000000' })
    expect((await errorOf(wrong)).code).toBe('wrong_code')
    await setUser({ totp_wanted_sealed: sealed() })
    const alsoWrong = send('POST', '/totp/confirm', ann, { code: '000000' })
    expect((await errorOf(alsoWrong)).code).toBe('wrong_code')
    await setUser({ totp_sealed: null, totp_wanted_sealed: null })
    expect((await asRoot('/operate/users/u_ann/totp/remove')).status).toBe(200)
    expect((await asRoot('/operate/users/u_ann/passkeys/remove')).status).toBe(200)
    expect(await userOf(other)).toBe('u_ann')
    expect(await userOf(ann)).toBe('u_ann')
  })

  test('an administrator who removes their own app keeps the session', async () => {
    await fixture.engine.db
      .updateTable('console_user')
      .set({ totp_sealed: sealed() })
      .where('id', '=', 'u_root')
      .execute()
    const [own, other] = [await fixture.signIn('u_root'), await fixture.signIn('u_root')]
    expect((await send('POST', '/operate/users/u_root/totp/remove', own)).status).toBe(200)
    expect([await userOf(own), await userOf(other)]).toEqual(['u_root', undefined])
  })

  test('a new password in the file ends the sessions and unused links', async () => {
    const { engine, nowMs } = fixture
    const put = (passwordHash: string) =>
      write(engine, nowMs(), (writing) =>
        putUser(
          writing,
          { random: systemRandom, nowMs },
          {
            email: 'ann@example.com',
            role: 'member',
            accounts: [{ id: 'acme', role: 'member' }],
            passwordHash,
          },
        ),
      )
    const hash = await hashPassword(annPassword)
    await put(hash)
    const cookie = await fixture.signIn('u_ann')
    const token = await fixture.mintLink('u_ann')
    await put(hash)
    expect(await userOf(cookie)).toBe('u_ann')
    await put(await hashPassword(annPassword))
    expect(await userOf(cookie)).toBeUndefined()
    const late = await fixture.post(`${api}/sign-in-link`, { body: { token } })
    expect(late.status).toBe(410)
  })
})
