import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { passkeysMax } from '../../src/accounts/definition/passkey.ts'
import { challengeLifetimeMs, openChallengesMax } from '../../src/accounts/passkey-challenges.ts'
import { addResetLink } from '../../src/accounts/sign-in-link.ts'
import type {
  ErrorAnswer,
  MemberAdded,
  PasskeyCreation,
  PasskeyQuestion,
  PasskeysAnswer,
  SessionAnswer,
} from '../../src/console-api/contract.ts'
import { signInLimits } from '../../src/console-api/sign-in-throttle.ts'
import { systemRandom } from '../../src/core/id.ts'
import { write } from '../../src/store/write.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import {
  type Lies,
  type PasskeyAlgorithm,
  SoftwareAuthenticator,
} from '../support/software-authenticator.ts'
import { annPassword } from './console-seed.ts'
import {
  addressHeader,
  type ConsoleStage,
  cookieOf,
  openConsoleStage,
  readJson,
} from './console-stage.ts'

const api = '/console/api'
const minuteMs = 60_000
const party = { id: 'gw.example.com', origin: 'https://gw.example.com' }
const engines = ['sqlite', 'postgres'] as const

let stage: ConsoleStage
let address = 0

/** Each test comes from its own address, so that no test uses up the attempts of another. */
const from = () => ({ [addressHeader]: `198.51.100.${address % 250}` })
beforeEach(() => {
  address += 1
})

const send = (method: string, path: string, cookie: string | undefined, body: unknown = {}) =>
  stage.send(method, `${api}${path}`, { cookie, body, headers: from() })
const errorOf = async (response: Promise<Response> | Response) =>
  (await readJson<ErrorAnswer>(response)).error
const codeOf = async (response: Promise<Response> | Response) => (await errorOf(response)).code

async function add(cookie: string, device = new SoftwareAuthenticator(party.origin), lies?: Lies) {
  const options = await readJson<PasskeyCreation>(send('POST', '/passkeys/start', cookie))
  const response = await send('POST', '/passkeys', cookie, {
    name: 'Laptop',
    ...device.create(options, lies),
  })
  return { device, response }
}

async function ask() {
  const response = await send('POST', '/sign-in/passkey/start', undefined)
  return { question: await readJson<PasskeyQuestion>(response), cookie: cookieOf(response) }
}

async function signIn(device: SoftwareAuthenticator, lies?: Lies) {
  const { question, cookie } = await ask()
  return send('POST', '/sign-in/passkey', cookie, device.get(question, lies))
}

const listOf = async (cookie: string) =>
  (await readJson<PasskeysAnswer>(stage.get(`${api}/passkeys`, { cookie }))).passkeys

async function clear() {
  const { db } = stage.engine
  await db.deleteFrom('passkey').execute()
  await db.deleteFrom('passkey_challenge').execute()
}

const sessionsOf = async (userId: string) =>
  (
    await stage.engine.db
      .selectFrom('session')
      .select('user_id')
      .where('user_id', '=', userId)
      .execute()
  ).length

async function lastAudit(action: string) {
  const row = await stage.engine.db
    .selectFrom('audit')
    .selectAll()
    .where('action', '=', action)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { actor: row.actor, subject: row.subject, after: row.after, before: row.before }
}

const available = engines.filter(
  (kind) => kind === 'sqlite' || postgresServerUrl('passkeys on Postgres') !== undefined,
)

describe.each([...available])('passkeys on %s', (kind) => {
  let database: FreshDatabase | undefined
  let ann: string

  beforeAll(async () => {
    database = kind === 'postgres' ? await freshDatabase() : undefined
    stage = await openConsoleStage({
      relyingParty: party,
      ...(database && { databaseUrl: database.url }),
    })
  })
  afterAll(async () => {
    await stage.close()
    await database?.drop()
  })
  beforeEach(async () => {
    await clear()
    // A day later no limit of a former test is in force.
    stage.passTime(24 * 60 * minuteMs)
    ann = await stage.signIn('u_ann')
  })

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
      expect((await listOf(ann))[0]?.usedAt).toBe(stage.nowMs())
      const cookie = cookieOf(signedIn)
      stage.passTime(10 * minuteMs)
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

  const lies: [name: string, lies: Lies][] = [
    ['another origin', { origin: 'https://evil.example.com' }],
    ['http instead of https', { origin: 'http://gw.example.com' }],
    ['another host', { rpId: 'evil.example.com' }],
    ['a challenge that nobody issued', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
    ['no user verification', { isUserVerified: false }],
    ['no user presence', { isUserPresent: false }],
    ['a page inside a frame', { isCrossOrigin: true }],
    ['an answer of the other kind', { type: 'payment.get' }],
  ]

  test.each(lies)('a new passkey is refused with %s', async (_, lie) => {
    const { response } = await add(ann, new SoftwareAuthenticator(party.origin), lie)
    expect((await errorOf(response)).detail).toBe('passkey_wrong')
    expect(await listOf(ann)).toEqual([])
  })

  test.each([
    ...lies,
    ['the handle of another user', { userHandle: Buffer.from('u_root').toString('base64url') }],
    ['no handle', { userHandle: null }],
    ['a counter that stands still', { counter: 1 }],
    ['a counter that went back', { counter: 0 }],
  ] satisfies [string, Lies][])('a sign-in is refused with %s', async (_, lie) => {
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
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401])
    expect(await codeOf(finish(cookie))).toBe('wrong_credentials')
    const late = await ask()
    const lateAnswer = device.get(late.question)
    stage.passTime(challengeLifetimeMs)
    expect(await codeOf(send('POST', '/sign-in/passkey', late.cookie, lateAnswer))).toBe(
      'wrong_credentials',
    )
    // A failed answer uses its challenge up as well.
    const third = await ask()
    const wrong = device.get(third.question, { origin: 'https://evil.example.com' })
    await send('POST', '/sign-in/passkey', third.cookie, wrong)
    const right = device.get(third.question)
    expect(await codeOf(send('POST', '/sign-in/passkey', third.cookie, right))).toBe(
      'wrong_credentials',
    )
  })

  test('a challenge is good for one purpose and one session', async () => {
    const { device } = await add(ann)
    const bob = await stage.signIn('u_bob')
    const { device: bobs } = await add(bob)
    const second = await stage.signIn('u_ann')
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
    stage.passTime(10 * minuteMs)
    expect(await codeOf(send('POST', '/passkeys/start', ann))).toBe('reauthenticate')
  })

  test('unknown, removed and disabled get the same answer', async () => {
    const { device } = await add(ann)
    const bob = await stage.signIn('u_bob')
    const { device: bobs } = await add(bob)
    const [own] = await listOf(ann)
    expect((await send('DELETE', `/passkeys/${own?.id}`, ann)).status).toBe(200)
    const suspended = { suspended: 1 }
    const users = stage.engine.db.updateTable('console_user').where('id', '=', 'u_bob')
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
    expect(stage.errors).toEqual([])
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

  test('belongs to one user, has a name, and there are at most twenty', async () => {
    const { device } = await add(ann)
    const bob = await stage.signIn('u_bob')
    expect((await errorOf((await add(bob, device)).response)).detail).toBe('passkey_taken')
    const [own] = await listOf(ann)
    const place = `/passkeys/${own?.id}`
    expect(await codeOf(send('PATCH', place, bob, { name: 'Mine' }))).toBe('not_found')
    expect(await codeOf(send('DELETE', place, bob))).toBe('not_found')
    expect(await codeOf(send('PATCH', place, ann, { name: ' ' }))).toBe('invalid_request')
    expect((await send('PATCH', place, ann, { name: 'Phone' })).status).toBe(200)
    expect(await listOf(ann)).toMatchObject([{ name: 'Phone' }])
    const row = await stage.engine.db.selectFrom('passkey').selectAll().executeTakeFirstOrThrow()
    const more = Array.from({ length: passkeysMax - 1 }, (_, index) => ({
      ...row,
      id: `more${index}`,
      credential_id: `more${index}`,
    }))
    const options = await readJson<PasskeyCreation>(send('POST', '/passkeys/start', ann))
    await stage.engine.db.insertInto('passkey').values(more).execute()
    expect((await errorOf(send('POST', '/passkeys/start', ann))).detail).toBe('passkeys_many')
    const made = new SoftwareAuthenticator(party.origin).create(options)
    const late = send('POST', '/passkeys', ann, { name: 'One more', ...made })
    expect((await errorOf(late)).detail).toBe('passkeys_many')
  })

  test('the last way to sign in stays', async () => {
    const root = await stage.signIn('u_root')
    const { device } = await add(root)
    stage.passTime(1)
    await add(root)
    const [first, second] = await listOf(root)
    // A passkey of a former host name is no way to sign in.
    const passkeys = stage.engine.db.updateTable('passkey')
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
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await listOf(root)).toHaveLength(1)
  })

  test('is needed before a stale session without a password may set one', async () => {
    const root = await stage.signIn('u_root')
    const { device } = await add(root)
    stage.passTime(10 * minuteMs)
    const set = () => send('POST', '/password', root, { password: 'another horse battery' })
    expect(await codeOf(set())).toBe('reauthenticate')
    const question = await readJson<PasskeyQuestion>(
      send('POST', '/reauthenticate/passkey/start', root),
    )
    await send('POST', '/reauthenticate/passkey', root, device.get(question))
    expect((await set()).status).toBe(200)
    await stage.engine.db
      .updateTable('console_user')
      .set({ password_hash: null })
      .where('id', '=', 'u_root')
      .execute()
  })

  test('is both factors, while a password still needs the code', async () => {
    const { device } = await add(ann)
    const users = stage.engine.db.updateTable('console_user').where('id', '=', 'u_ann')
    const sealed = stage.vault.seal(Buffer.alloc(20).toString('base64url'), 'totp secret')
    await users.set({ totp_sealed: sealed }).execute()
    const byPassword = { email: 'ann@example.com', password: annPassword }
    expect(await codeOf(send('POST', '/sign-in', undefined, byPassword))).toBe('code_needed')
    expect((await signIn(device)).status).toBe(200)
    await users.set({ totp_sealed: null }).execute()
  })

  test('is removed by an operator, and with the user', async () => {
    const { device } = await add(ann)
    const root = await stage.signIn('u_root')
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

  test('end with a password reset, which somebody else may need to get rid of them', async () => {
    const { device } = await add(ann)
    const { engine, vault } = stage
    const link = { userId: 'u_ann', vault, random: systemRandom, nowMs: stage.nowMs() }
    const token = await write(engine, stage.nowMs(), ({ tx }) => addResetLink(tx, link))
    const reset = { token, password: annPassword }
    expect((await send('POST', '/password-reset', undefined, reset)).status).toBe(200)
    expect(await codeOf(signIn(device))).toBe('wrong_credentials')
    expect(await lastAudit('user.reset-password')).toMatchObject({ before: '{"passkeys":1}' })
  })

  test('of an invited login open only that login, and end when its address is verified', async () => {
    const owen = await stage.signIn('u_owen')
    const email = `ida-${kind}@example.com`
    const added = await readJson<MemberAdded>(
      send('POST', '/accounts/acme/members', owen, { email, role: 'member' }),
    )
    const token = added.invitationUrl?.split('#')[1]
    const ida = cookieOf(await send('POST', '/invitation', undefined, { token }))
    const { device } = await add(ida)
    const { user } = await readJson<SessionAnswer>(signIn(device))
    expect(user).toMatchObject({ id: added.member.userId, invitedTo: 'acme' })
    const root = await stage.signIn('u_root')
    await send('POST', `/operate/users/${added.member.userId}/vouch`, root)
    expect(await codeOf(signIn(device))).toBe('wrong_credentials')
    expect(await stage.engine.db.selectFrom('passkey').select('id').execute()).toEqual([])
    // Deleting a user deletes the passkeys.
    const again = await stage.signIn(added.member.userId)
    expect((await add(again)).response.status).toBe(200)
    await send('DELETE', `/operate/users/${added.member.userId}`, root)
    expect(await stage.engine.db.selectFrom('passkey').select('id').execute()).toEqual([])
  })

  test('failed attempts lock the user out as wrong passwords do, and a lockout is recorded', async () => {
    const { device } = await add(ann)
    const stranger = { [addressHeader]: '203.0.113.77' }
    const attempt = async (lie: Lies) => {
      const started = await stage.post(`${api}/sign-in/passkey/start`, { headers: stranger })
      const question = await readJson<PasskeyQuestion>(started)
      return stage.post(`${api}/sign-in/passkey`, {
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
    const password = await stage.post(`${api}/sign-in`, {
      headers: stranger,
      body: { email: 'ann@example.com', password: annPassword },
    })
    expect(password.status).toBe(429)
  })

  test('challenges are limited by address and in number, and are deleted when they expire', async () => {
    const count = async () =>
      Number(
        (
          await stage.engine.db
            .selectFrom('passkey_challenge')
            .select(({ fn }) => fn.countAll().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
      )
    const from77 = { [addressHeader]: '203.0.113.78' }
    const start = () => stage.post(`${api}/sign-in/passkey/start`, { headers: from77 })
    for (let made = 0; made < signInLimits.challengesPerAddress.burst; made += 1) await start()
    expect((await start()).status).toBe(429)
    expect(await count()).toBe(signInLimits.challengesPerAddress.burst)
    stage.passTime(challengeLifetimeMs)
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
      expires_at: stage.nowMs() + index,
    }))
    for (let at = 0; at < rows.length; at += 1000) {
      await stage.engine.db
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
    const row = await stage.engine.db.selectFrom('passkey').selectAll().executeTakeFirstOrThrow()
    const root = await stage.signIn('u_root')
    const texts = await Promise.all([
      (await stage.get(`${api}/passkeys`, { cookie: ann })).text(),
      (await stage.get(`${api}/operate/users`, { cookie: root })).text(),
      (await stage.get(`${api}/operate/provision`, { cookie: root })).text(),
      JSON.stringify(await stage.engine.db.selectFrom('audit').selectAll().execute()),
    ])
    for (const text of texts) {
      expect(text).not.toContain(row.credential_id)
      expect(text).not.toContain(row.public_key)
    }
  })
})

test('without a suitable URL passkeys are off, with a reason', async () => {
  stage = await openConsoleStage()
  const ann = await stage.signIn('u_ann')
  const session = await readJson<SessionAnswer>(stage.get(`${api}/session`, { cookie: ann }))
  expect(session).toMatchObject({ passkeyOrigin: null, user: { hasPasskey: false } })
  const host = { host: 'localhost' }
  for (const path of [
    '/sign-in/passkey/start',
    '/reauthenticate/passkey/start',
    '/passkeys/start',
  ]) {
    const response = await stage.post(`${api}${path}`, { cookie: ann, headers: host })
    expect((await errorOf(response)).detail).toBe('passkeys_off')
  }
  await stage.close()
})
