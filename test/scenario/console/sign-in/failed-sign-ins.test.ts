import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { failureLimits } from '../../../../src/console-api/access/failed-sign-ins.ts'
import { signInLimits } from '../../../../src/console-api/access/sign-in-throttle.ts'
import type { AuditAnswer } from '../../../../src/console-api/contract.ts'
import {
  addressHeader,
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { annPassword } from '../../../support/console/console-seed.ts'

const api = '/console/api'
let fixture: ConsoleFixture

beforeEach(async () => {
  fixture = await openConsoleFixture()
})
afterEach(() => fixture.close())

describe('the audit log of failed sign-ins', () => {
  const auditRows = async () => {
    const rows = await fixture.engine.db
      .selectFrom('audit')
      .select(['actor', 'action', 'subject', 'after'])
      .where('action', 'like', 'user.sign-in-%')
      .orderBy('seq')
      .execute()
    return rows.map(({ after, ...row }) => ({ ...row, after: JSON.parse(after ?? 'null') }))
  }
  const tryOnce = (email: string, address = '198.51.100.7', password = 'a wrong password') =>
    fixture.post(`${api}/sign-in`, {
      body: { email, password },
      headers: { [addressHeader]: address },
    })

  test('records failed sign-ins and the lockout, with user and address', async () => {
    const { burst } = signInLimits.perPair
    const { perLogin, lockouts } = failureLimits
    const tryMore = async () => {
      for (let count = 0; count < burst + 2; count += 1) await tryOnce('ann@example.com')
    }
    const told = async () =>
      (await auditRows()).map(({ action, after }) => [action, after.unrecorded ?? 0])
    const failed = 'user.sign-in-failed'
    const locked = 'user.sign-in-locked'
    await tryMore()
    expect((await auditRows())[0]).toEqual({
      actor: 'stranger',
      action: failed,
      subject: 'u_ann',
      after: { address: '198.51.100.7', failure: 'password' },
    })
    // The lockout has its own row, although most failures before it have none.
    const first = [
      ...Array.from({ length: perLogin.burst }, () => [failed, 0]),
      [locked, burst - perLogin.burst],
    ]
    expect(await told()).toEqual(first)
    // Later there is room for one more row of each kind, which counts the omitted ones.
    fixture.passTime(perLogin.refillMs / 10)
    await tryOnce('ann@example.com')
    expect(await told()).toEqual(first)
    fixture.passTime(Math.max(perLogin.refillMs, lockouts.refillMs))
    await tryMore()
    const after = (await told()).slice(first.length)
    expect(after.map(([action]) => action)).toEqual([failed, locked])
    expect(after[0]).toEqual([failed, 2])
  })

  test('records a lockout', async () => {
    const { burst } = signInLimits.perPair
    for (let count = 0; count < burst; count += 1) await tryOnce('ann@example.com')
    fixture.passTime(1)
    const before = (await auditRows()).length
    expect(before).toBe(failureLimits.perLogin.burst)
    // The limit of failures for this login is reached; that of another address and login is not.
    for (let count = 0; count < signInLimits.perAddress.burst; count += 1) {
      await tryOnce(`nobody-${count}@example.com`)
    }
    const locked = (await auditRows()).filter(({ action }) => action === 'user.sign-in-locked')
    expect(locked.length).toBeGreaterThan(0)
  })

  test('contains no text that a stranger typed, and a limited number of rows', async () => {
    const tries = 3 * failureLimits.inAll.burst
    for (let count = 0; count < tries; count += 1) {
      await tryOnce(`my-secret-${count}@example.com`, `203.0.113.${count % 250}`)
    }
    const rows = await auditRows()
    expect(rows).toHaveLength(failureLimits.inAll.burst)
    expect(new Set(rows.map(({ subject }) => subject))).toEqual(new Set(['unknown']))
    expect(JSON.stringify(rows)).not.toContain('my-secret')
    expect(JSON.stringify(rows)).not.toContain('a wrong password')
  })

  const followLink = (token: string, address = '198.51.100.7', path = 'sign-in-link') =>
    fixture.post(`${api}/${path}`, { body: { token }, headers: { [addressHeader]: address } })

  const hourMs = 3_600_000
  const links: [name: string, subject: string, failure: string, go: () => Promise<unknown>][] = [
    [
      'a used sign-in link',
      'u_ann',
      'link-used',
      async () => {
        const token = await fixture.mintLink('u_ann')
        await followLink(token)
        await followLink(token)
      },
    ],
    [
      'an expired sign-in link',
      'u_ann',
      'link-expired',
      async () => {
        const token = await fixture.mintLink('u_ann')
        fixture.passTime(hourMs)
        // Links that are deleted when another link is created must still be recognised.
        await fixture.mintLink('u_root')
        await followLink(token)
      },
    ],
    [
      'a sign-in link of a suspended user',
      'u_ann',
      'login-disabled',
      async () => {
        const token = await fixture.mintLink('u_ann')
        const users = fixture.engine.db.updateTable('console_user').where('id', '=', 'u_ann')
        await users.set({ suspended: 1 }).execute()
        await followLink(token)
      },
    ],
    [
      'an invented sign-in link',
      '198.51.100.7',
      'link-unknown',
      () => followLink('my-secret-guess'),
    ],
    [
      'an invented invitation',
      '198.51.100.7',
      'link-unknown',
      () => followLink('my-secret-guess', '198.51.100.7', 'invitation'),
    ],
  ]
  test.each(links)('records %s', async (_, subject, failure, go) => {
    await go()
    const rows = await auditRows()
    expect(rows).toEqual([
      {
        actor: 'stranger',
        action: 'user.sign-in-failed',
        subject,
        after: { address: '198.51.100.7', failure },
      },
    ])
    expect(JSON.stringify(rows)).not.toContain('my-secret')
  })

  test('a used link opens nothing, however often it is followed, and fills no log', async () => {
    const token = await fixture.mintLink('u_ann')
    expect((await followLink(token)).status).toBe(200)
    for (let count = 0; count < 10; count += 1) {
      expect((await followLink(token, `203.0.113.${count}`)).status).toBe(410)
    }
    expect(await auditRows()).toHaveLength(failureLimits.perLogin.burst)
    fixture.passTime(48 * hourMs)
    await fixture.mintLink('u_root')
    const kept = await fixture.engine.db.selectFrom('sign_in_link').select('user_id').execute()
    expect(kept).toEqual([{ user_id: 'u_root' }])
  })

  test('guessed links are recorded with the lockout, in a limited number of rows', async () => {
    for (let count = 0; count < 2 * signInLimits.perAddress.burst; count += 1) {
      await followLink(`guess-${count}`)
    }
    const actions = (await auditRows()).map(({ action }) => action)
    const { burst } = failureLimits.perLogin
    expect(actions).toEqual([
      ...Array(burst).fill('user.sign-in-failed'),
      ...Array(failureLimits.lockouts.burst).fill('user.sign-in-locked'),
    ])
    fixture.passTime(failureLimits.perLogin.refillMs)
    for (let count = 0; count < 3 * signInLimits.perAddress.burst; count += 1) {
      await followLink(`guess-${count}`)
    }
    const more = 3 * failureLimits.inAll.burst
    for (let count = 0; count < more; count += 1) await followLink('x', `203.0.113.${count % 250}`)
    expect((await auditRows()).length).toBeLessThanOrEqual(
      failureLimits.inAll.burst + failureLimits.perLogin.refillMs / failureLimits.inAll.refillMs,
    )
  })

  test('records that an address is locked out of links', async () => {
    for (let count = 0; count < signInLimits.perAddress.burst; count += 1) {
      await tryOnce(`nobody-${count}@example.com`)
    }
    await followLink('x')
    expect((await auditRows()).at(-1)).toMatchObject({
      action: 'user.sign-in-locked',
      subject: '198.51.100.7',
    })
  })

  test('a correct password records no failure', async () => {
    expect((await tryOnce('ann@example.com', '198.51.100.7', annPassword)).status).toBe(200)
    expect(await auditRows()).toEqual([])
  })

  test('is shown with the names of its subjects', async () => {
    await tryOnce('ann@example.com')
    const cookie = await fixture.signIn('u_root')
    await fixture.send('PATCH', `${api}/keys/key_a1`, { cookie, body: { isEnabled: false } })
    const { rows } = await readJson<AuditAnswer>(fixture.get(`${api}/operate/audit`, { cookie }))
    const named = rows.map(({ action, subject, subjectName }) => [action, subject, subjectName])
    expect(named).toContainEqual(['key.disabled', 'key_a1', 'Laptop'])
    expect(named).toContainEqual(['user.sign-in-failed', 'u_ann', 'ann@example.com'])
  })
})
