import { expect, test } from 'bun:test'
import { sealPurpose } from '../../../../src/accounts/second-factor.ts'
import { addResetLink } from '../../../../src/accounts/sign-in-link.ts'
import { totpCode } from '../../../../src/accounts/totp.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { claimDue } from '../../../../src/outbox/outbox-store.ts'
import { write } from '../../../../src/store/changes/write.ts'
import {
  addressHeader,
  cookieOf,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { annPassword } from '../../../support/console/console-seed.ts'
import { SoftwareAuthenticator } from '../../../support/software-authenticator.ts'
import {
  add,
  ann,
  api,
  fixture,
  lastAudit,
  listOf,
  party,
  passkeySuite,
  send,
} from './passkey-suite.ts'

const publicUrl = 'https://gw.example.com'
const mail = { publicUrl, send: async () => undefined }
const secret = new Uint8Array(20).fill(9)
const codeNow = () => totpCode(secret, Math.floor(fixture.nowMs() / 30_000))

/** The waiting notices, by subject; they are removed from the outbox. */
async function notices() {
  const { engine, vault } = fixture
  const claimed = await claimDue(engine, { vault, nowMs: fixture.nowMs() }, { countMax: 50 })
  await engine.db.deleteFrom('outbox').execute()
  return claimed
    .filter(({ purpose }) => purpose === 'security-notice')
    .map(({ target, accountId, content }) => ({
      target,
      accountId,
      ...('mail' in content ? content.mail : { subject: '', text: '', html: '' }),
    }))
}

const subjects = async () => (await notices()).map(({ subject }) => subject)
const setUser = (columns: object) =>
  fixture.engine.db.updateTable('console_user').set(columns).where('id', '=', 'u_ann').execute()
const setTotp = () =>
  setUser({
    totp_sealed: fixture.vault.seal(Buffer.from(secret).toString('base64url'), sealPurpose),
    totp_step: 0,
  })

async function removeFirst(cookie = ann) {
  const [passkey] = await listOf(cookie)
  return send('DELETE', `/passkeys/${passkey?.id}`, cookie)
}

async function reset() {
  const token = await write(fixture.engine, fixture.nowMs(), ({ tx }) =>
    addResetLink(tx, {
      userId: 'u_ann',
      vault: fixture.vault,
      random: systemRandom,
      nowMs: fixture.nowMs(),
    }),
  )
  return send('POST', '/password-reset', undefined, { token, password: annPassword })
}

passkeySuite(
  'security notices',
  () => {
    const changes: readonly [
      subject: string,
      chinese: string,
      action: string,
      prepare: () => Promise<unknown>,
      go: () => Promise<Response>,
    ][] = [
      [
        'A passkey was added',
        '已添加通行密钥',
        'user.passkey-added',
        async () => undefined,
        async () => (await add(ann)).response,
      ],
      [
        'A passkey was removed',
        '已移除通行密钥',
        'user.passkey-removed',
        () => add(ann),
        () => removeFirst(),
      ],
      [
        'Your passkeys were removed',
        '通行密钥已被移除',
        'user.passkeys-cleared',
        async () => add(await fixture.signIn('u_ann')),
        async () =>
          send('POST', '/operate/users/u_ann/passkeys/remove', await fixture.signIn('u_root')),
      ],
      [
        'Your password was changed',
        '密码已修改',
        'user.set-password',
        async () => undefined,
        () => send('POST', '/password', ann, { password: annPassword }),
      ],
      [
        'Your password was changed',
        '密码已修改',
        'user.reset-password',
        async () => undefined,
        () => reset(),
      ],
      [
        'An authenticator app was set up',
        '已启用身份验证器应用',
        'user.totp-set',
        async () => {
          await send('POST', '/totp/start', ann)
          const sealed = fixture.vault.seal(Buffer.from(secret).toString('base64url'), sealPurpose)
          await setUser({ totp_wanted_sealed: sealed })
        },
        () => send('POST', '/totp/confirm', ann, { code: codeNow() }),
      ],
      [
        'The authenticator app was removed',
        '身份验证器应用已移除',
        'user.totp-removed',
        setTotp,
        () => send('POST', '/totp/remove', ann, { code: codeNow() }),
      ],
      [
        'The authenticator app was removed',
        '身份验证器应用已移除',
        'user.totp-removed',
        setTotp,
        async () =>
          send('POST', '/operate/users/u_ann/totp/remove', await fixture.signIn('u_root')),
      ],
      [
        'Your login was unlinked from the identity provider',
        '登录账号已解除与身份提供方的关联',
        'user.open-id-removed',
        () => setUser({ open_id: 'https://login.example.com ann' }),
        async () =>
          send('POST', '/operate/users/u_ann/open-id/remove', await fixture.signIn('u_root')),
      ],
      [
        'A sign-in link was created',
        '已创建登录链接',
        'user.sign-in-link-made',
        async () => undefined,
        async () =>
          send('POST', '/operate/users/u_ann/sign-in-link', await fixture.signIn('u_root')),
      ],
    ]
    for (const [subject, chinese, action, prepare, go] of changes) {
      test(`${action}: the user gets one email, in both languages`, async () => {
        for (const [language, wanted] of [
          [null, subject],
          ['zh', chinese],
        ] as const) {
          await setUser({ language, totp_sealed: null })
          await prepare()
          const cookie = await fixture.signIn('u_root')
          await notices()
          const response = await go()
          expect([response.status, cookie.length > 0]).toEqual([200, true])
          const found = (await notices()).filter((each) => each.target === 'ann@example.com')
          expect(found).toMatchObject([{ subject: wanted, accountId: null }])
          const [{ text, html } = { text: '', html: '' }] = found
          expect(text).toContain(`${publicUrl}/console/account`)
          expect(text).toContain('198.51.100.')
          // No text of the person who made the change, and no secret.
          for (const absent of ['Laptop', annPassword, 'undefined', '#'])
            expect(`${text}${html}`).not.toContain(absent)
          expect(await lastAudit(action)).toMatchObject({ subject: 'u_ann' })
        }
        await setUser({ language: null, totp_sealed: null })
      })
    }

    test('a refused or ineffective change sends nothing', async () => {
      await add(ann)
      await setUser({ password_hash: null })
      await notices()
      expect((await removeFirst()).status).toBe(409)
      const root = await fixture.signIn('u_root')
      expect((await send('POST', '/operate/users/u_ann/totp/remove', root)).status).toBe(200)
      expect((await send('POST', '/operate/users/u_bob/passkeys/remove', root)).status).toBe(200)
      expect((await send('POST', '/operate/users/u_ann/open-id/remove', root)).status).toBe(200)
      // Whoever has the link is the user.
      expect((await send('POST', '/operate/users/u_root/sign-in-link', root)).status).toBe(200)
      expect((await send('POST', '/password', ann, { password: 'short' })).status).toBe(400)
      expect(await subjects()).toEqual([])
      // The user has a passkey, so a first password is another way to sign in.
      expect((await send('POST', '/password', ann, { password: annPassword })).status).toBe(200)
      expect(await subjects()).toEqual(['Your password was changed'])
    })

    test('a new person who sets the first password gets no email about it', async () => {
      await setUser({ password_hash: null, open_id: null })
      const fresh = await fixture.signIn('u_ann')
      expect((await send('POST', '/password', fresh, { password: annPassword })).status).toBe(200)
      expect(await subjects()).toEqual([])
    })

    const enter = (address: string, cookie?: string, password = annPassword) =>
      fixture.post(`${api}/sign-in`, {
        cookie,
        headers: { [addressHeader]: address },
        body: { email: 'ann@example.com', password },
      })
    const device = (response: Response) =>
      response.headers
        .getSetCookie()
        .find((each) => each.startsWith('tollgate_device='))
        ?.split(';')[0]

    test('a sign-in with a new browser sends a notice, one with a known browser does not', async () => {
      await setUser({ totp_sealed: null })
      await notices()
      const first = await enter('192.0.2.1')
      expect(first.status).toBe(200)
      const [told] = await notices()
      expect(told).toMatchObject({
        subject: 'Sign-in with a new browser',
        target: 'ann@example.com',
      })
      expect(told?.text).toContain('192.0.2.1')
      // The same browser at another address, and a program without cookies at the same address.
      expect((await enter('192.0.2.2', device(first))).status).toBe(200)
      expect((await enter('192.0.2.1')).status).toBe(200)
      expect(await subjects()).toEqual([])
      // A wrong password, another address, and a mark of another user.
      expect((await enter('192.0.2.3', undefined, 'a wrong password')).status).toBe(401)
      expect(await subjects()).toEqual([])
      expect((await enter('192.0.2.3')).status).toBe(200)
      expect(await subjects()).toHaveLength(1)
      const forged = device(first)?.replace(/.{4}$/, 'AAAA')
      expect((await enter('192.0.2.4', forged)).status).toBe(200)
      expect(await subjects()).toHaveLength(1)
      // A new password makes all browsers unknown except the one that set it.
      const changed = await send('POST', '/password', cookieOf(first), { password: annPassword })
      await notices()
      expect((await enter('192.0.2.5', device(changed))).status).toBe(200)
      expect(await subjects()).toEqual([])
      expect((await enter('192.0.2.6', device(first))).status).toBe(200)
      expect(await subjects()).toHaveLength(1)
      // So does a reset, and the browser of the reset is known.
      const redeemed = await reset()
      await notices()
      expect((await enter('192.0.2.7', device(redeemed))).status).toBe(200)
      expect(await subjects()).toEqual([])
    })

    test('sign-ins with a passkey and with a link send notices, too', async () => {
      const { device: passkey } = await add(ann, new SoftwareAuthenticator(party.origin))
      await fixture.engine.db.deleteFrom('session').execute()
      await notices()
      const headers = { [addressHeader]: '192.0.2.9' }
      const asked = await fixture.post(`${api}/sign-in/passkey/start`, { headers })
      const body = passkey.get(await readJson(asked))
      const cookie = cookieOf(asked)
      const entered = await fixture.post(`${api}/sign-in/passkey`, { headers, cookie, body })
      expect(entered.status).toBe(200)
      expect(await subjects()).toEqual(['Sign-in with a new browser'])
      await fixture.signIn('u_ann')
      expect(await subjects()).toEqual(['Sign-in with a new browser'])
      // A user without a password has no marks.
      await setUser({ password_hash: null })
      await fixture.engine.db.deleteFrom('session').execute()
      await fixture.signIn('u_ann')
      expect(await subjects()).toEqual([])
    })
  },
  { mail },
)

test('without a mail server nothing is written', async () => {
  const plain = await openConsoleFixture()
  const cookie = await plain.signIn('u_ann')
  const body = { password: 'another password' }
  expect((await plain.post(`${api}/password`, { cookie, body })).status).toBe(200)
  expect(await plain.engine.db.selectFrom('outbox').selectAll().execute()).toEqual([])
  await plain.close()
})
