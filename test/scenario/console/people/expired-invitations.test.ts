import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { AccountDetail, MemberAdded } from '../../../../src/console-api/contract.ts'
import { cookieOf, readJson } from '../../../support/console/console-fixture.ts'
import { lastFailure } from '../open-id/open-id-console.ts'
import { codeOf, type InvitationFixture, openInvitationFixture } from './invitation-fixture.ts'

/*
 * An invitation is valid for seven days, on every way: as a link, in the console of a verified user, and at the first
 * sign-in with the identity provider.
 */

const api = '/console/api'
const weekMs = 7 * 24 * 3_600_000
let fixture: InvitationFixture

beforeEach(async () => {
  fixture = await openInvitationFixture()
})
afterEach(() => fixture.close())

/** Nora has a verified user; Sam gets one with the first sign-in at the identity provider. */
const nora = 'new@example.com'
const sam = { openId: 'issuer sam', email: 'sam@example.com' }
const admin = async () => fixture.signIn('u_root')

type Way = (added: MemberAdded) => Promise<string | undefined>
const ways: Record<string, { readonly email: string; readonly accept: Way }> = {
  'in the console': {
    email: nora,
    accept: async () => {
      const cookie = await fixture.signIn('u_new')
      const { invitations } = await fixture.sessionOf(cookie)
      const answer = await fixture.call('POST', '/invitations/accept', cookie, { account: 'acme' })
      // The list offers exactly what can be accepted.
      expect(answer.status).toBe(invitations.length === 0 ? 404 : 200)
      return cookie
    },
  },
  'with the link': {
    email: 'nobody@x.org',
    accept: async (added) => cookieOf(await fixture.acceptLink(added)) || undefined,
  },
  'with the link, signed in': {
    email: nora,
    accept: async (added) => {
      const cookie = await fixture.signIn('u_new')
      await fixture.acceptLink(added, cookie)
      return cookie
    },
  },
  'at the identity provider': { email: sam.email, accept: () => fixture.byOpenId(sam) },
}
const accountsAfter = async (way: string, added: MemberAdded) => {
  const cookie = await ways[way]?.accept(added)
  const accounts = cookie === undefined ? [] : await fixture.accountsOf(cookie)
  return accounts.filter((each) => each.endsWith(' acme'))
}
const emailOf = (way: string) => ways[way]?.email ?? ''
const memberOf = async (email: string) => {
  const cookie = await fixture.signIn('u_owen')
  const account = readJson<AccountDetail>(fixture.get(`${api}/accounts/acme`, { cookie }))
  return (await account).members.find((each) => each.email === email)
}

describe.each(Object.keys(ways))('an invitation accepted %s', (way) => {
  test('counts until the last millisecond of the seventh day', async () => {
    const added = await fixture.inviteTo('acme', emailOf(way), 'viewer')
    fixture.passTime(weekMs - 1)
    expect(await accountsAfter(way, added)).toEqual(['viewer of acme'])
  })

  test('does not count after seven days, and does when the owner invites again', async () => {
    const first = await fixture.inviteTo('acme', emailOf(way), 'viewer')
    fixture.passTime(weekMs)
    expect(await accountsAfter(way, first)).toEqual([])
    const second = await fixture.inviteTo('acme', emailOf(way), 'viewer')
    expect(second.member.userId).toBe(first.member.userId)
    expect((await fixture.acceptLink(first)).status).toBe(410)
    expect(await accountsAfter(way, second)).toEqual(['viewer of acme'])
  })

  test('a second invitation within the week counts for another week', async () => {
    await fixture.inviteTo('acme', emailOf(way), 'viewer')
    fixture.passTime(weekMs - 1)
    const second = await fixture.inviteTo('acme', emailOf(way), 'viewer')
    fixture.passTime(weekMs - 1)
    expect(await accountsAfter(way, second)).toEqual(['viewer of acme'])
  })

  test('a new role does not renew it', async () => {
    const added = await fixture.inviteTo('acme', emailOf(way), 'viewer')
    fixture.passTime(weekMs - 1)
    const place = `/accounts/acme/members?user=${added.member.userId}`
    const owen = await fixture.signIn('u_owen')
    expect((await fixture.call('PATCH', place, owen, { role: 'member' })).status).toBe(200)
    fixture.passTime(1)
    expect(await accountsAfter(way, added)).toEqual([])
  })
})

describe('an invitation that was opened in time', () => {
  test.each(['in the console', 'at the identity provider'])(
    'keeps the rights that the unverified user has, and no more: %s',
    async (way) => {
      const added = await fixture.inviteTo('acme', emailOf(way), 'owner')
      const invited = cookieOf(await fixture.acceptLink(added))
      fixture.passTime(weekMs - 1)
      expect(await fixture.accountsOf(invited)).toEqual(['member of acme'])
      fixture.passTime(1)
      expect(await accountsAfter(way, added)).toEqual(['member of acme'])
    },
  )
})

test('owners see when an invitation ends, until somebody opens it', async () => {
  const startMs = fixture.nowMs()
  const added = await fixture.inviteTo('acme', nora, 'viewer')
  expect(added.member).toMatchObject({ invitationEndsAt: startMs + weekMs, hasSignedIn: false })
  fixture.passTime(weekMs)
  expect(await memberOf(nora)).toMatchObject({ invitationEndsAt: startMs + weekMs })
  const again = await fixture.inviteTo('acme', nora, 'viewer')
  expect(again.member.invitationEndsAt).toBe(startMs + 2 * weekMs)
  await fixture.acceptLink(again)
  expect(await memberOf(nora)).toMatchObject({ invitationEndsAt: null, hasSignedIn: true })
  expect(await memberOf('owen@example.com')).toMatchObject({ invitationEndsAt: null })
})

test('an administrator cannot vouch for an expired invitation, and adds the person instead', async () => {
  const { member } = await fixture.inviteTo('acme', 'nobody@x.org', 'owner')
  fixture.passTime(weekMs)
  const place = `/operate/users/${member.userId}`
  for (const [method, path, body] of [
    ['POST', `${place}/vouch`, {}],
    ['PATCH', place, { role: 'admin' }],
    ['PATCH', place, { accounts: [{ id: 'globex', role: 'member' }] }],
  ] as const) {
    expect(await codeOf(fixture.call(method, path, await admin(), body))).toBe('conflict')
  }
  const body = { email: 'nobody@x.org', role: 'viewer' }
  const added = await fixture.call('POST', '/accounts/acme/members', await admin(), body)
  expect(added.status).toBe(200)
  expect(await memberOf('nobody@x.org')).toMatchObject({ role: 'viewer', isProven: true })
})

test('a link that is too late is recorded as expired', async () => {
  const added = await fixture.inviteTo('acme', 'nobody@x.org', 'owner')
  fixture.passTime(weekMs)
  expect((await fixture.acceptLink(added)).status).toBe(410)
  expect(await lastFailure(fixture)).toBe('link-expired')
})
