import { afterEach, beforeEach, expect, test } from 'bun:test'
import { putUser } from '../../../../src/accounts/user-store.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { write } from '../../../../src/store/changes/write.ts'
import { cookieOf } from '../../../support/console/console-fixture.ts'
import { codeOf, type InvitationFixture, openInvitationFixture } from './invitation-fixture.ts'

/*
 * Nora, who has a verified user, is invited as an owner, and then joins the account in another way. The invitation, whose
 * link somebody has copied, must not return that role after it was taken away.
 */

const nora = 'new@example.com'
let fixture: InvitationFixture
let root: string

beforeEach(async () => {
  fixture = await openInvitationFixture()
  root = await fixture.signIn('u_root')
})
afterEach(() => fixture.close())

const accounts = ['acme', 'empty'].map((id) => ({ id, role: 'viewer' as const }))
const joins: Record<string, () => Promise<unknown>> = {
  'an administrator adds her': () =>
    fixture.call('POST', '/accounts/acme/members', root, { email: nora, role: 'viewer' }),
  'an administrator gives her the account': () =>
    fixture.call('PATCH', '/operate/users/u_new', root, { accounts }),
  'the file lists the account': () => {
    const tools = { random: systemRandom, nowMs: fixture.nowMs }
    const settings = { email: nora, role: 'member', accounts, passwordHash: undefined } as const
    return write(fixture.engine, fixture.nowMs(), (writing) => putUser(writing, tools, settings))
  },
}
test.each(Object.keys(joins))('%s: the invitation gives nothing any more', async (way) => {
  const added = await fixture.inviteTo('acme', nora, 'owner')
  const cookie = await fixture.signIn('u_new')
  const elsewhere = await fixture.inviteTo('globex', nora)
  const waiting = async () =>
    (await fixture.sessionOf(cookie)).invitations.map(({ accountId }) => accountId)
  const inAcme = async () =>
    (await fixture.accountsOf(cookie)).filter((each) => each.endsWith(' acme'))
  /** The link in the browser of Nora, the link in another browser, and the console. */
  const tryAgain = async () => {
    expect((await fixture.acceptLink(added, cookie)).status).toBe(410)
    const other = await fixture.acceptLink(added)
    expect([other.status, cookieOf(other)]).toEqual([410, ''])
    for (const answer of ['accept', 'decline']) {
      const body = { account: 'acme' }
      expect(await codeOf(fixture.call('POST', `/invitations/${answer}`, cookie, body))).toBe(
        'not_found',
      )
    }
  }
  expect(await waiting()).toEqual(['acme', 'globex'])
  await joins[way]?.()
  expect(await waiting()).toEqual(['globex'])
  expect(await inAcme()).toEqual(['viewer of acme'])
  await tryAgain()
  expect(await inAcme()).toEqual(['viewer of acme'])

  const owen = await fixture.signIn('u_owen')
  const place = '/accounts/acme/members?user=u_new'
  expect((await fixture.call('DELETE', place, owen)).status).toBe(200)
  await tryAgain()
  expect(await inAcme()).toEqual([])
  expect((await fixture.acceptLink(elsewhere, cookie)).status).toBe(200)

  const { userId } = added.member
  const audit = fixture.engine.db.selectFrom('audit').select(['actor', 'subject', 'before'])
  expect(await audit.where('action', '=', 'member.invitation-ended').execute()).toEqual([
    {
      actor: 'gateway',
      subject: 'acme',
      before: JSON.stringify({ userId, email: nora, role: 'owner' }),
    },
  ])
})
