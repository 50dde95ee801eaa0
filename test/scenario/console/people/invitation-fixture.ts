import { expect } from 'bun:test'
import { addInvitationLink } from '../../../../src/accounts/sign-in-link.ts'
import { totpCode } from '../../../../src/accounts/totp.ts'
import { putUser } from '../../../../src/accounts/user-store.ts'
import type {
  ErrorAnswer,
  MemberAdded,
  SessionAnswer,
  TotpStart,
  UserRow,
  UsersAnswer,
} from '../../../../src/console-api/contract.ts'
import type {
  OpenIdPerson,
  OpenIdProvider,
} from '../../../../src/console-api/ports/open-id-provider.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { write } from '../../../../src/store/changes/write.ts'
import {
  type ConsoleFixture,
  cookieOf,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { noRules } from '../../../support/console/open-id-provider.ts'

/*
 * An owner invites another person's address, opens the link, and sets everything that could open a login. None of this
 * may ever open more than the inviting account.
 */

const api = '/console/api'
/** The address of the attack, and the password that the inviter sets. */
export const ops = 'ops@example.com'
export const stolen = 'what the inviter chose'

/** The provider reports no groups. */
type ToldPerson = Omit<OpenIdPerson, 'groups' | 'authenticatedAtMs'>

export type InvitationFixture = ConsoleFixture & ReturnType<typeof invitationSteps>

/** The console with a scripted identity provider, and the steps of an invitation. */
export async function openInvitationFixture(): Promise<InvitationFixture> {
  let person: ToldPerson | undefined
  const provider: OpenIdProvider = {
    label: 'Our login',
    rules: noRules,
    begin: async () => ({
      url: 'https://login.example.com/',
      pending: { state: 's', nonce: 'n', verifier: 'v' },
    }),
    finish: async () => {
      if (!person) throw new Error('nobody has signed in')
      return { ...person, authenticatedAtMs: 0, groups: { kind: 'ignored' } }
    },
  }
  const fixture = await openConsoleFixture({ openId: provider })
  const steps = invitationSteps(fixture, (told) => {
    person = told
  })
  return { ...fixture, ...steps }
}

export async function codeOf(response: Response | Promise<Response>): Promise<string> {
  return (await readJson<ErrorAnswer>(response)).error.code
}

export function tokenIn(url: string | null | undefined): string {
  return url?.split('#')[1] ?? ''
}

/** Bob owns globex; Owen owns acme. */
const owners = { acme: 'u_owen', globex: 'u_bob' } as const
type Account = keyof typeof owners

export interface Taken {
  readonly added: MemberAdded
  readonly code: () => string
  readonly cookies: readonly string[]
  readonly unusedLink: string
}

function invitationSteps(fixture: ConsoleFixture, setPerson: (told: ToldPerson) => void) {
  const send = (method: string, path: string, cookie: string | undefined, body: unknown = {}) =>
    fixture.send(method, `${api}${path}`, { cookie, body })
  const sessionOf = (cookie: string | undefined) =>
    readJson<SessionAnswer>(fixture.get(`${api}/session`, { cookie }))
  const accountsOf = async (cookie: string | undefined) =>
    (await sessionOf(cookie)).accounts.map(({ id, role }) => `${role} of ${id}`)
  const signIn = (email: string, password: string, account?: string) =>
    fixture.post(`${api}/sign-in`, { body: { email, password, ...(account && { account }) } })

  async function inviteTo(account: Account, email: string, role = 'member') {
    const cookie = await fixture.signIn(owners[account])
    const response = await send('POST', `/accounts/${account}/members`, cookie, { email, role })
    return readJson<MemberAdded>(response)
  }

  async function acceptLink({ invitationUrl }: MemberAdded, cookie?: string) {
    return fixture.post(`${api}/invitation`, { cookie, body: { token: tokenIn(invitationUrl) } })
  }

  /** Sets everything that an inviter can set while the address is not verified. */
  async function takeOver(account: Account, email: string, role?: string): Promise<Taken> {
    const added = await inviteTo(account, email, role)
    const cookie = cookieOf(await acceptLink(added))
    const set = await send('POST', '/password', cookie, { password: stolen })
    expect(set.status).toBe(200)
    const { secret } = await readJson<TotpStart>(send('POST', '/totp/start', cookie))
    const code = () => totpCode(fromBase32(secret), Math.floor(fixture.nowMs() / 30_000))
    expect((await send('POST', '/totp/confirm', cookie, { code: code() })).status).toBe(200)
    fixture.passTime(60_000)
    const again = cookieOf(
      await fixture.post(`${api}/sign-in`, {
        body: { email, password: stolen, account, code: code() },
      }),
    )
    // A second invitation would end everything that was set, so the link is added without one.
    const { engine, vault } = fixture
    const nowMs = fixture.nowMs()
    const link = { userId: added.member.userId, vault, random: systemRandom, nowMs }
    const unusedLink = await write(engine, nowMs, ({ tx }) => addInvitationLink(tx, link))
    return { added, code, cookies: [cookie, again], unusedLink }
  }

  /** The accounts that the inviter can still open. */
  async function whatOpens(email: string, account: Account, taken: Taken): Promise<string[]> {
    const opened = new Set<string>()
    const note = async (cookie: string) => {
      const { user, accounts } = await sessionOf(cookie)
      if (!user) return
      for (const each of accounts) opened.add(`${each.role} of ${each.id}`)
      if (user.role === 'admin') opened.add('administrator')
    }
    for (const cookie of taken.cookies) await note(cookie)
    for (const place of [undefined, account]) {
      fixture.passTime(60_000)
      // A code is ignored if no app is set up any more.
      const body = { email, password: stolen, code: taken.code(), ...(place && { account: place }) }
      await note(cookieOf(await fixture.post(`${api}/sign-in`, { body })))
    }
    const token = taken.unusedLink
    await note(cookieOf(await fixture.post(`${api}/sign-in-link`, { body: { token } })))
    await note(cookieOf(await fixture.post(`${api}/invitation`, { body: { token } })))
    return [...opened].sort()
  }

  async function byOpenId(told: ToldPerson): Promise<string | undefined> {
    setPerson(told)
    const left = await fixture.get(`${api}/open-id/start`)
    const response = await fixture.get(`${api}/open-id/callback?code=c&state=s`, {
      cookie: cookieOf(left),
    })
    return response.headers
      .getSetCookie()
      .find((each) => each.startsWith('tollgate_session='))
      ?.split(';')[0]
  }

  async function byFile(role: 'admin' | 'member'): Promise<void> {
    const tools = { random: systemRandom, nowMs: () => fixture.nowMs() }
    const settings = { email: ops, role, accounts: [{ id: 'empty' }], passwordHash: undefined }
    await write(fixture.engine, fixture.nowMs(), (writing) => putUser(writing, tools, settings))
  }

  async function invitedUser(email: string): Promise<UserRow> {
    const root = await fixture.signIn('u_root')
    const { users } = await readJson<UsersAnswer>(
      fixture.get(`${api}/operate/users?search=${encodeURIComponent(email)}`, { cookie: root }),
    )
    const found = users.find((user) => user.proof === null)
    if (!found) throw new Error(`${email} is not invited`)
    return found
  }
  return {
    call: send,
    sessionOf,
    accountsOf,
    signInWith: signIn,
    inviteTo,
    acceptLink,
    takeOver,
    whatOpens,
    byOpenId,
    byFile,
    invitedUser,
  }
}

function fromBase32(text: string): Buffer {
  const bits = text
    .split('')
    .map((letter) =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    )
    .join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
