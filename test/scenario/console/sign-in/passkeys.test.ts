import { expect, test } from 'bun:test'
import { challengeLifetimeMs } from '../../../../src/accounts/passkey-challenges.ts'
import { notePasskeyUse } from '../../../../src/accounts/passkey-store.ts'
import type {
  PasskeyCreation,
  PasskeyQuestion,
  PasskeysAnswer,
  SessionAnswer,
} from '../../../../src/console-api/contract.ts'
import { cookieOf, readJson } from '../../../support/console/console-fixture.ts'
import {
  type AuthenticatorFaults,
  type PasskeyAlgorithm,
  SoftwareAuthenticator,
} from '../../../support/software-authenticator.ts'
import {
  add,
  ann,
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
  sessionsOf,
  signIn,
} from './passkey-suite.ts'

passkeySuite('a passkey', () => {
  test.each(['ES256', 'RS256', 'EdDSA'] as const)(
    'with %s signs in and confirms the identity',
    async (algorithm: PasskeyAlgorithm) => {
      const { device, response } = await add(
        ann,
        new SoftwareAuthenticator(party.origin, algorithm),
      )
      expect(response.status).toBe(200)
      const { passkeys } = await readJson<PasskeysAnswer>(response)
      expect(passkeys).toMatchObject([{ name: 'Laptop', host: party.id, usedAt: null }])
      const signedIn = await signIn(device)
      const { user, passkeyOrigin } = await readJson<SessionAnswer>(signedIn)
      expect({ user, passkeyOrigin }).toMatchObject({
        user: { id: 'u_ann', hasPasskey: true },
        passkeyOrigin: party.origin,
      })
      expect(await lastAudit('user.signed-in')).toMatchObject({
        actor: 'u_ann',
        after: expect.stringContaining('"passkey":"Laptop"'),
      })
      expect((await listOf(ann))[0]?.usedAt).toBe(fixture.nowMs())
      const cookie = cookieOf(signedIn)
      fixture.passTime(10 * minuteMs)
      expect(await codeOf(send('POST', '/passkeys/start', cookie))).toBe('reauthenticate')
      const question = await readJson<PasskeyQuestion>(
        send('POST', '/reauthenticate/passkey/start', cookie),
      )
      expect(question.allowCredentials.map(({ id }) => id)).toEqual([device.credentialId])
      const proven = await send('POST', '/reauthenticate/passkey', cookie, device.get(question))
      expect(proven.status).toBe(200)
      expect(await lastAudit('user.identity-confirmed')).toMatchObject({ subject: 'u_ann' })
      expect((await send('POST', '/passkeys/start', cookie)).status).toBe(200)
    },
  )

  test('the options name the host and demand verification and a discoverable passkey', async () => {
    const options = await readJson<PasskeyCreation>(send('POST', '/passkeys/start', ann))
    expect(options).toMatchObject({
      rp: { id: party.id },
      user: { id: Buffer.from('u_ann').toString('base64url'), name: 'ann@example.com' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    const { question, cookie } = await ask()
    expect(question).toMatchObject({
      rpId: party.id,
      userVerification: 'required',
      allowCredentials: [],
    })
    expect(cookie).toStartWith('tollgate_passkey=')
  })

  const lies: [name: string, lies: AuthenticatorFaults][] = [
    ['another origin', { origin: 'https://evil.example.com' }],
    ['http instead of https', { origin: 'http://gw.example.com' }],
    ['another host', { rpId: 'evil.example.com' }],
    ['an unknown challenge', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
    ['no user verification', { isUserVerified: false }],
    ['no user presence', { isUserPresent: false }],
    ['a page inside a frame', { isCrossOrigin: true }],
    ['a response of the other kind', { type: 'payment.get' }],
  ]

  test.each(lies)('a new passkey is refused with %s', async (_, lie) => {
    const { response } = await add(ann, new SoftwareAuthenticator(party.origin), lie)
    expect((await errorOf(response)).detail).toBe('passkey_wrong')
    expect(await listOf(ann)).toEqual([])
  })

  test.each([
    ...lies,
    [
      'the user handle of another user',
      { userHandle: Buffer.from('u_root').toString('base64url') },
    ],
    ['no user handle', { userHandle: null }],
    ['a counter that does not increase', { counter: 1 }],
    ['a counter that decreases', { counter: 0 }],
  ] satisfies [string, AuthenticatorFaults][])('a sign-in is refused with %s', async (_, lie) => {
    const { device } = await add(ann)
    expect((await signIn(device)).status).toBe(200)
    const before = await sessionsOf('u_ann')
    const refused = await signIn(device, lie)
    expect(refused.status).toBe(401)
    expect(await codeOf(refused)).toBe('wrong_credentials')
    expect(refused.headers.get('set-cookie')).toBeNull()
    expect(await sessionsOf('u_ann')).toBe(before)
    expect(await lastAudit('user.sign-in-failed')).toMatchObject({
      actor: 'stranger',
      subject: 'u_ann',
      after: expect.stringContaining('counter' in lie ? '"passkey-counter"' : '"passkey"'),
    })
    // The passkey itself still works.
    expect((await signIn(device)).status).toBe(200)
  })

  test('an authenticator that does not count keeps working', async () => {
    const { device } = await add(ann)
    device.step = 0
    expect([(await signIn(device)).status, (await signIn(device)).status]).toEqual([200, 200])
  })

  test('an answer works once, in the browser that asked, while the challenge is valid', async () => {
    const { device } = await add(ann)
    const { question, cookie } = await ask()
    const other = await ask()
    const answer = device.get(question)
    const finish = (by: string | undefined) => send('POST', '/sign-in/passkey', by, answer)
    expect(await codeOf(finish(undefined))).toBe('wrong_credentials')
    expect(await codeOf(finish('tollgate_passkey=x'))).toBe('wrong_credentials')
    expect(await codeOf(finish(other.cookie))).toBe('wrong_credentials')
    const both = await Promise.all([finish(cookie), finish(cookie)])
    expect(both.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
      200, 401,
    ])
    expect(await codeOf(finish(cookie))).toBe('wrong_credentials')
    const late = await ask()
    const lateAnswer = device.get(late.question)
    fixture.passTime(challengeLifetimeMs)
    expect(await codeOf(send('POST', '/sign-in/passkey', late.cookie, lateAnswer))).toBe(
      'wrong_credentials',
    )
    // A wrong answer uses up its challenge, too.
    const third = await ask()
    const wrong = device.get(third.question, { origin: 'https://evil.example.com' })
    await send('POST', '/sign-in/passkey', third.cookie, wrong)
    const right = device.get(third.question)
    expect(await codeOf(send('POST', '/sign-in/passkey', third.cookie, right))).toBe(
      'wrong_credentials',
    )
  })

  test('a challenge is valid for one purpose and one session', async () => {
    const { device } = await add(ann)
    const bob = await fixture.signIn('u_bob')
    const { device: bobs } = await add(bob)
    const second = await fixture.signIn('u_ann')
    const prove = (cookie: string, body: object) =>
      codeOf(send('POST', '/reauthenticate/passkey', cookie, body))
    const start = (cookie: string) =>
      readJson<PasskeyQuestion>(send('POST', '/reauthenticate/passkey/start', cookie))
    expect(await prove(ann, device.get(await start(second)))).toBe('wrong_credentials')
    expect(await prove(bob, device.get(await start(bob)))).toBe('wrong_credentials')
    expect(await prove(ann, bobs.get(await start(ann)))).toBe('wrong_credentials')
    const options = await readJson<PasskeyCreation>(send('POST', '/passkeys/start', ann))
    const asIfAsked = { challenge: options.challenge, rpId: party.id }
    expect(await prove(ann, device.get(asIfAsked))).toBe('wrong_credentials')
    const { question, cookie } = await ask()
    expect(await prove(`${ann}; ${cookie}`, device.get(question))).toBe('wrong_credentials')
    const made = new SoftwareAuthenticator(party.origin).create(options)
    const elsewhere = await send('POST', '/passkeys', second, { name: 'Phone', ...made })
    expect((await errorOf(elsewhere)).detail).toBe('passkey_wrong')
    const used = await send('POST', '/passkeys', ann, { name: 'Phone', ...made })
    expect(used.status).toBe(200)
    const again = await send('POST', '/passkeys', ann, { name: 'Phone', ...made })
    expect((await errorOf(again)).detail).toBe('passkey_wrong')
    fixture.passTime(10 * minuteMs)
    expect(await codeOf(send('POST', '/passkeys/start', ann))).toBe('reauthenticate')
  })

  test('unknown, removed and disabled get the same answer', async () => {
    const { device } = await add(ann)
    const bob = await fixture.signIn('u_bob')
    const { device: bobs } = await add(bob)
    const [own] = await listOf(ann)
    expect((await send('DELETE', `/passkeys/${own?.id}`, ann)).status).toBe(200)
    const suspended = { suspended: 1 }
    const users = fixture.engine.db.updateTable('console_user').where('id', '=', 'u_bob')
    await users.set(suspended).execute()
    const userHandle = Buffer.from('u_bob').toString('base64url')
    const refusals = await Promise.all(
      [device, bobs, new SoftwareAuthenticator(party.origin)].map(async (each) => {
        const { requestId: _, ...rest } = await errorOf(signIn(each, { userHandle }))
        return rest
      }),
    )
    expect(new Set(refusals.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(refusals[0]?.code).toBe('wrong_credentials')
    const failed = fixture.engine.db.selectFrom('audit').select('after')
    const ofBob = await failed
      .where('action', '=', 'user.sign-in-failed')
      .where('subject', '=', 'u_bob')
      .orderBy('seq', 'desc')
      .executeTakeFirst()
    expect(ofBob?.after).toContain('"login-disabled"')
    // The same for a user who is suspended during the check of the passkey.
    const stored = await fixture.engine.db
      .selectFrom('passkey')
      .select(['id', 'counter'])
      .where('user_id', '=', 'u_bob')
      .executeTakeFirstOrThrow()
    const use = { newCounter: stored.counter + 1, nowMs: fixture.nowMs() }
    expect(await notePasskeyUse(fixture.engine.db, stored, use)).toBe(false)
    await users.set({ suspended: 0 }).execute()
    expect((await signIn(bobs)).status).toBe(200)
  })

  test('a tampered signature and bytes that are garbage are refused without an error', async () => {
    const { device } = await add(ann)
    const garbage = Buffer.from('a5ff00ff'.repeat(8), 'hex').toString('base64url')
    const deep = Buffer.alloc(5000, 0x81).toString('base64url')
    const changes: ((answer: Record<string, unknown>) => object)[] = [
      ({ signature }) => ({ signature: `${String(signature).slice(0, -6)}AAAAAA` }),
      () => ({ signature: '!!!' }),
      () => ({ authenticatorData: garbage }),
      () => ({ authenticatorData: 'AA' }),
      () => ({ clientDataJSON: garbage }),
      () => ({ clientDataJSON: Buffer.from('null').toString('base64url') }),
      () => ({ id: 'unknown' }),
    ]
    for (const change of changes) {
      const { question, cookie } = await ask()
      const answer = device.get(question)
      const sent = { ...answer, ...change(answer) }
      expect(await codeOf(send('POST', '/sign-in/passkey', cookie, sent))).toBe('wrong_credentials')
    }
    for (const attestationObject of [garbage, deep, 'oA', '!']) {
      const options = await readJson<PasskeyCreation>(send('POST', '/passkeys/start', ann))
      const made = new SoftwareAuthenticator(party.origin).create(options)
      const body = { name: 'x', ...made, attestationObject }
      expect((await errorOf(send('POST', '/passkeys', ann, body))).detail).toBe('passkey_wrong')
    }
    const long = { ...device.get({ challenge: 'x', rpId: party.id }), signature: 'A'.repeat(9_000) }
    expect(await codeOf(send('POST', '/sign-in/passkey', undefined, long))).toBe('invalid_request')
    const huge = { ...long, signature: 'A'.repeat(20_000) }
    for (const path of ['/sign-in/passkey', '/reauthenticate/passkey', '/passkeys']) {
      expect(await codeOf(send('POST', path, ann, huge))).toBe('request_too_large')
    }
    expect(fixture.errors).toEqual([])
  })

  test('the attestation is ignored, and other algorithms are refused', async () => {
    const odd = await add(ann, new SoftwareAuthenticator(party.origin), { format: 'packed' })
    expect(odd.response.status).toBe(200)
    expect((await signIn(odd.device)).status).toBe(200)
    const weak = await add(ann, new SoftwareAuthenticator(party.origin, 'RS256'), {
      algorithm: -65535,
    })
    expect((await errorOf(weak.response)).detail).toBe('passkey_wrong')
  })
})
