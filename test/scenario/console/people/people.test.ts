import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type {
  AuditAnswer,
  MemberAdded,
  OperatorAccountDetail,
  SessionAnswer,
  SystemAnswer,
  UserRow,
  UserWithLink,
} from '../../../../src/console-api/contract.ts'
import { findImbalances } from '../../../../src/ledger/audit/conservation.ts'
import { openConsoleFixture, readJson } from '../../../support/console/console-fixture.ts'
import {
  type OperatorFixture,
  openOperatorFixture,
} from '../../../support/console/console-operator-fixture.ts'
import { freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

describe('the people on SQLite', () => peopleTests())
if (postgresServerUrl('console people on Postgres') !== undefined) {
  describe('the people on Postgres', () => peopleTests(freshDatabase))
}

const api = '/console/api'

function peopleTests(makeDatabase?: typeof freshDatabase): void {
  let operator: OperatorFixture
  let fixture: OperatorFixture['fixture']

  beforeAll(async () => {
    operator = await openOperatorFixture(makeDatabase)
    fixture = operator.fixture
  })
  afterAll(() => operator.close())

  const send: OperatorFixture['send'] = (...call) => operator.send(...call)
  const get = <Body>(path: string) => operator.send<Body>('GET', path)
  const refusal: OperatorFixture['refusal'] = (...call) => operator.refusal(...call)

  describe('an account', () => {
    test('is created with credit, credited once and suspended, and its ledger still balances', async () => {
      const made = await send<OperatorAccountDetail>('POST', '/operate/accounts', {
        id: 'initech',
        name: 'Initech',
        creditNano: '5000000000',
      })
      expect(made).toMatchObject({ status: 'active', availableNano: '5000000000', spentNano: '0' })
      const credit = { amountNano: '1', reason: 'goodwill', externalId: 'form-1' }
      await send('POST', '/operate/accounts/initech/credits', credit)
      const twice = await send<OperatorAccountDetail>(
        'POST',
        '/operate/accounts/initech/credits',
        credit,
      )
      expect(twice.availableNano).toBe('5000000001')
      expect(twice.credits.map((line) => [line.source, line.reason])).toEqual(
        expect.arrayContaining([
          ['console', 'goodwill'],
          ['console', 'credit to start with'],
        ]),
      )
      const none = { ...credit, amountNano: '0', externalId: 'form-2' }
      const code = [400, 'invalid_request', 'amountNano']
      expect(await refusal('POST', '/operate/accounts/initech/credits', none)).toEqual(code)
      const short = { amountNano: '-5000000002', reason: 'typo', externalId: 'form-3' }
      expect(await refusal('POST', '/operate/accounts/initech/credits', short)).toEqual([
        409,
        'conflict',
        'amountNano',
      ])
      const correction = { ...short, amountNano: '-1000000000' }
      for (let times = 0; times < 2; times += 1) {
        const less = await send<OperatorAccountDetail>(
          'POST',
          '/operate/accounts/initech/credits',
          correction,
        )
        expect([less.availableNano, less.spentNano]).toEqual(['4000000001', '0'])
      }
      const goodwill = twice.credits.find(({ reason }) => reason === 'goodwill')
      for (let times = 0; times < 2; times += 1) {
        const reversed = await send<OperatorAccountDetail>(
          'POST',
          `/operate/credits/${goodwill?.id}/reverse`,
        )
        expect(reversed.availableNano).toBe('4000000000')
        expect(
          reversed.credits
            .map((line) => `${line.amountNano} ${line.isReversal} ${line.isReversed}`)
            .sort(),
        ).toEqual([
          '-1 true false',
          '-1000000000 false false',
          '1 false true',
          '5000000000 false false',
        ])
        const reversal = reversed.credits.find(({ isReversal }) => isReversal)
        expect(await refusal('POST', `/operate/credits/${reversal?.id}/reverse`)).toEqual([
          409,
          'conflict',
          undefined,
        ])
      }
      expect((await refusal('POST', '/operate/credits/nope/reverse'))[0]).toBe(404)
      const start = twice.credits.find(({ reason }) => reason === 'credit to start with')
      expect(await refusal('POST', `/operate/credits/${start?.id}/reverse`)).toEqual([
        409,
        'conflict',
        'amountNano',
      ])
      const wrong = await findImbalances(fixture.engine)
      expect(wrong.filter(({ id }) => id === 'initech')).toEqual([])
      const ended = await send<OperatorAccountDetail>('PATCH', '/operate/accounts/initech', {
        status: 'suspended',
        endsAt: 7,
      })
      expect(ended).toMatchObject({ status: 'suspended', endsAt: 7, name: 'Initech' })
      expect(await refusal('POST', '/operate/accounts/initech/release')).toEqual([
        409,
        'conflict',
        undefined,
      ])
    })
  })

  describe('a user', () => {
    test('is created, signs in with the link, is suspended and signed out at once', async () => {
      const made = await send<UserWithLink>('POST', '/operate/users', {
        email: 'Eve@Example.com',
        role: 'member',
        accounts: [{ id: 'acme', role: 'viewer' }],
      })
      expect(made.user).toMatchObject({
        email: 'eve@example.com',
        hasPassword: false,
        accounts: [{ id: 'acme', name: 'Acme Robotics', role: 'viewer' }],
      })
      const token = made.signInUrl.split('#')[1]
      const response = await fixture.post(`${api}/sign-in-link`, { body: { token } })
      const session = await readJson<SessionAnswer>(response)
      expect(session.accounts).toEqual([{ id: 'acme', name: 'Acme Robotics', role: 'viewer' }])
      const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0]
      expect((await fixture.get(`${api}/keys`, { cookie })).status).toBe(200)
      const path = `/operate/users/${made.user.id}`
      await send<UserRow>('PATCH', path, { isSuspended: true })
      expect((await fixture.get(`${api}/keys`, { cookie })).status).toBe(401)
      expect((await refusal('POST', `${path}/sign-in-link`))[1]).toBe('conflict')
      await send('DELETE', path)
      expect((await refusal('GET', path))[0]).toBe(404)
    })

    test('cannot lock themselves out', async () => {
      const path = '/operate/users/u_root'
      for (const body of [{ role: 'member' }, { isSuspended: true }]) {
        expect((await refusal('PATCH', path, body))[1]).toBe('in_use')
      }
      expect((await refusal('DELETE', path))[1]).toBe('in_use')
    })
  })

  test('the audit log has every change, newest first, paged, and no secret', async () => {
    const account = '/operate/accounts/audited'
    await send('POST', '/operate/accounts', { id: 'audited', name: 'A', creditNano: '5' })
    const credit = { amountNano: '2', reason: 'goodwill', externalId: 'audit-1' }
    const { credits } = await send<OperatorAccountDetail>('POST', `${account}/credits`, credit)
    const typo = { amountNano: '-1', reason: 'typo', externalId: 'audit-2' }
    await send('POST', `${account}/credits`, typo)
    const goodwill = credits.find(({ reason }) => reason === 'goodwill')
    await send('POST', `/operate/credits/${goodwill?.id}/reverse`)
    await send('PATCH', account, { status: 'suspended', endsAt: 7 })
    const { user } = await send<UserWithLink>('POST', '/operate/users', {
      email: 'audited@example.com',
      role: 'member',
    })
    await send('DELETE', `/operate/users/${user.id}`)

    const seen: AuditAnswer['rows'][number][] = []
    for (let before = ''; ; ) {
      const page: AuditAnswer = await get(`/operate/audit?before=${before}`)
      seen.push(...page.rows)
      if (page.next === null) break
      before = page.next
    }
    const seqs = seen.map(({ seq }) => seq)
    expect(seqs).toEqual([...seqs].sort((left, right) => right - left))
    expect(new Set(seqs).size).toBe(seqs.length)
    const actions = new Set(seen.map(({ action }) => action))
    for (const action of ['account.created', 'account.credited', 'user.created', 'user.deleted']) {
      expect(actions).toContain(action)
    }
    expect(seen.find(({ action }) => action === 'account.changed')).toMatchObject({
      actor: 'u_root',
      actorName: 'root@example.com',
      before: { status: 'active' },
      after: { status: 'suspended' },
    })
    const some = await get<AuditAnswer>('/operate/audit?action=account.&subject=audited')
    expect(some.rows.map(({ action }) => action)).toEqual([
      'account.changed',
      'account.credit-reversed',
      'account.corrected',
      'account.credited',
      'account.created',
    ])
  })

  test('the system page shows processes, ledger, migrations and the client address', async () => {
    const system = await get<SystemAnswer>('/operate/system')
    expect(system.database.migrations).toContain('0006-console')
    expect(system.leases).toMatchObject({ count: 1, heldNano: '12345678' })
    expect(system.proxy).toMatchObject({ address: '127.0.0.1', verdict: 'direct' })
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    const proxied = await readJson<SystemAnswer>(
      fixture.get(`${api}/operate/system`, { cookie: operator.cookie, headers }),
    )
    expect(proxied.proxy).toMatchObject({ verdict: 'untrusted-proxy', address: '127.0.0.1' })
  })
}

describe('links for other people', () => {
  const cases: [publicUrl: string | undefined, links: string | undefined][] = [
    ['https://models.example.com', 'https://models.example.com'],
    // The host that the caller used.
    [undefined, undefined],
  ]
  test.each(cases)('with publicUrl %p', async (publicUrl, expected) => {
    const fixture = await openConsoleFixture(publicUrl === undefined ? {} : { publicUrl })
    const root = expected ?? fixture.url
    const token = await fixture.makeToken(['all'])
    const asOwner = await fixture.makeToken(['all'], 'acme')
    const invite = (by: string, email: string) =>
      readJson<MemberAdded>(
        fixture.admin(by, 'POST', '/accounts/acme/members', { body: { email, role: 'member' } }),
      )
    const welcome = await invite(token, 'first-link@example.com')
    const invitation = await invite(asOwner, 'second-link@example.com')
    const user = { email: 'third-link@example.com', role: 'member', accounts: [] }
    const made = await readJson<UserWithLink>(
      fixture.admin(token, 'POST', '/users', { body: user }),
    )
    await fixture.close()
    expect(welcome.signInUrl).toStartWith(`${root}/console/sign-in?first=true#`)
    expect(invitation.invitationUrl).toStartWith(`${root}/console/invitation#`)
    expect(made.signInUrl).toStartWith(`${root}/console/sign-in?first=true#`)
  })
})
