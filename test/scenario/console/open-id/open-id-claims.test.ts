import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { groupCharactersMax, groupsMax } from '../../../../src/app/open-id/read-groups-claim.ts'
import type { ProviderUser } from '../../../support/console/open-id-provider.ts'
import { patience } from '../../../support/patience.ts'
import {
  groups,
  inGroups,
  type OpenIdConsole,
  openOpenIdConsole,
  person,
} from './open-id-console.ts'

describe('the claims of an identity provider', () => {
  let fixture: OpenIdConsole
  const userOf = (email: string) =>
    fixture.engine.db.selectFrom('console_user').selectAll().where('email', '=', email).execute()

  beforeAll(async () => {
    fixture = await openOpenIdConsole()
  }, patience(20_000))
  afterAll(() => fixture.close())
  beforeEach(() => {
    fixture.configure({ rules: { create: 'groups', groups } })
  })

  const many = Array.from({ length: groupsMax + 1 }, (_, at) => `g${at}`)
  const claims: readonly [name: string, more: ProviderUser['more'], isRead: boolean][] = [
    ['one name as text', { groups: 'ai' }, true],
    ['the same name twice', { groups: ['ai', 'ai'] }, true],
    ['as many names as allowed', { groups: ['ai', ...many.slice(0, groupsMax - 1)] }, true],
    ['too many names', { groups: ['ai', ...many] }, false],
    ['no claim', {}, false],
    ['null', { groups: null }, false],
    ['a number', { groups: 7 }, false],
    ['an empty text', { groups: '' }, false],
    ['an object', { groups: { ai: true, length: 1, 0: 'ai' } }, false],
    ['an object in the list', { groups: ['ai', { name: 'ai' }] }, false],
    ['a number in the list', { groups: ['ai', 5] }, false],
    ['null in the list', { groups: ['ai', null] }, false],
    ['a list in the list', { groups: [['ai']] }, false],
    ['a very long name', { groups: ['ai', 'x'.repeat(groupCharactersMax + 1)] }, false],
    [
      'a reference to another claim source',
      { _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } },
      false,
    ],
    ['a list and such a reference', { groups: ['ai'], _claim_names: { groups: 'src1' } }, false],
    ['a property name of the prototype', { __proto__x: 1 }, false],
  ]
  for (const [name, more, isRead] of claims) {
    test(`groups as ${name}: ${isRead ? 'read' : 'refused, and nothing ends'}`, async () => {
      const told = person(inGroups('ai', 'research'))
      await fixture.arrive(told)
      const { problem, cookie } = await fixture.arrive({ ...told, more: more ?? {} })
      expect(problem).toBe(isRead ? undefined : 'open-id-claim')
      expect(cookie === undefined).toBe(!isRead)
      const kept = { acme: 'member open-id', globex: 'viewer open-id' }
      expect(await fixture.membershipsOf(told.email)).toEqual(
        isRead ? { acme: 'member open-id' } : kept,
      )
      // A new person cannot sign in with it either.
      const stranger = person(more)
      expect((await fixture.arrive(stranger)).problem).toBe(isRead ? undefined : 'open-id-claim')
      expect(await userOf(stranger.email)).toHaveLength(isRead ? 1 : 0)
    })
  }

  const places: readonly [
    name: string,
    claim: string,
    told: Partial<ProviderUser>,
    isRead: boolean,
  ][] = [
    ['a nested claim', 'realm_access.roles', { more: { realm_access: { roles: ['ai'] } } }, true],
    [
      'a name with dots',
      'https://x.org/groups',
      { more: { 'https://x.org/groups': ['ai'] } },
      true,
    ],
    ['a path through a list', 'a.0', { more: { a: ['ai'] } }, false],
    ['a path to the prototype', 'constructor.name', { more: {} }, false],
    [
      'a reference to the root of a path',
      'a.b',
      { more: { a: { b: ['ai'] }, _claim_names: { a: 's' } } },
      false,
    ],
  ]
  for (const [name, groupsClaim, more, isRead] of places) {
    test(`groups in ${name}: ${isRead ? 'read' : 'refused'}`, async () => {
      fixture.configure({ rules: { create: 'groups', groups }, groupsClaim })
      const told = { ...person(), ...more }
      expect((await fixture.arrive(told)).problem).toBe(isRead ? undefined : 'open-id-claim')
      expect(await fixture.membershipsOf(told.email)).toEqual(
        isRead ? { acme: 'member open-id' } : {},
      )
    })
  }

  test('claims that the token lacks come from the userinfo endpoint of the same person', async () => {
    const { email_verified: _, ...told } = person()
    const info = { sub: told.sub, email: told.email, email_verified: true, groups: ['ai'] }
    expect((await fixture.arrive({ ...told, info: { ...info, sub: 'other' } })).problem).toBe(
      'open-id-failed',
    )
    expect((await fixture.arrive({ ...told, info: null })).problem).toBe('open-id-failed')
    expect((await fixture.arrive({ ...told, info: { ...info, groups: undefined } })).problem).toBe(
      'open-id-claim',
    )
    expect(
      (await fixture.arrive({ ...told, info: { ...info, email_verified: false } })).problem,
    ).toBe('open-id-email')
    expect(await userOf(told.email)).toHaveLength(0)
    expect((await fixture.arrive({ ...told, info })).problem).toBeUndefined()
    expect(await fixture.membershipsOf(told.email)).toEqual({ acme: 'member open-id' })
    // A claim in the token takes precedence.
    const more = inGroups('research')
    await fixture.arrive({ ...told, more, info })
    expect(await fixture.membershipsOf(told.email)).toEqual({ globex: 'viewer open-id' })
  })

  test('an answer of the provider that is too long is not read', async () => {
    const told = person({ ...inGroups('ai'), more: 'x'.repeat(4 * 1024 * 1024) })
    expect((await fixture.arrive(told)).problem).toBe('open-id-failed')
    expect(causesOf(fixture.errors.at(-1))).toContain('more than 4194304 bytes')
    expect(await userOf(told.email)).toHaveLength(0)
  })

  const owned: readonly [unknown, unknown, boolean][] = [
    [undefined, true, true],
    [undefined, '1', true],
    [undefined, 1, true],
    [undefined, false, false],
    [undefined, '0', false],
    [false, true, false],
    [null, true, false],
  ]
  for (const [email_verified, xms_edov, isVerified] of owned) {
    test(`email_verified ${String(email_verified)} and xms_edov ${String(xms_edov)}: ${isVerified}`, async () => {
      const { email_verified: _, ...told } = person()
      const more = { ...inGroups('ai'), email_verified, xms_edov }
      const { problem } = await fixture.arrive({ ...told, more })
      expect(problem).toBe(isVerified ? undefined : 'open-id-email')
    })
  }
})

function causesOf(error: unknown): string {
  return error instanceof Error ? `${error.message}, ${causesOf(error.cause)}` : ''
}
