import { expect, test } from 'bun:test'
import { loadText, refusalOf } from './load-text.ts'

const provider = 'openIdIssuer: https://login.example.com\nopenIdClientId: x\n'
const mapping = { group: 'CN=AI, Team', account: 'acme', role: 'owner' } as const

test('the rules of an identity provider, in the file', () => {
  const { openId, inForce } = loadText({
    text: `${provider}openIdCreate: groups
openIdDomains: [Example.com, bücher.example]
openIdScope: [groups]
openIdGroupsClaim: realm_access.roles
openIdGroups:
  - { group: "CN=AI, Team", account: acme, role: owner }
  - { group: ai, account: acme }`,
  })
  expect(openId).toMatchObject({
    rules: {
      create: 'groups',
      domains: ['example.com', 'xn--bcher-kva.example'],
      groups: [mapping, { group: 'ai', account: 'acme', role: 'member' }],
    },
    groupsClaim: 'realm_access.roles',
    scopes: ['groups'],
  })
  expect(inForce.find(({ name }) => name === 'openIdGroups')?.text).toContain('"CN=AI, Team"')
})

test('the same in the environment; without them nothing is created or followed', () => {
  const { openId } = loadText({
    text: provider,
    env: {
      TOLLGATE_OPEN_ID_CREATE: 'domains',
      TOLLGATE_OPEN_ID_DOMAINS: 'example.com, x.org',
      TOLLGATE_OPEN_ID_GROUPS: JSON.stringify([mapping]),
      TOLLGATE_OPEN_ID_SCOPE: 'groups profile',
    },
  })
  expect(openId).toMatchObject({
    rules: { create: 'domains', domains: ['example.com', 'x.org'], groups: [mapping] },
    groupsClaim: 'groups',
    scopes: ['groups', 'profile'],
  })
  const rules = { create: 'off', domains: [], groups: [] }
  expect(loadText({ text: provider }).openId?.rules).toEqual(rules as never)
})

test.each([
  ['the mode domains without domains', `${provider}openIdCreate: domains`, 'needs openIdDomains'],
  ['the mode groups without groups', `${provider}openIdCreate: groups`, 'needs openIdGroups'],
  ['creation without a provider', 'openIdCreate: domains\nopenIdDomains: [a.org]', 'openIdIssuer'],
  ['groups without a provider', 'openIdGroups: [{ group: a, account: b }]', 'openIdIssuer'],
  ['an unknown mode', `${provider}openIdCreate: everybody`, 'must be one of off, domains, groups'],
  ['an email address as a domain', `${provider}openIdDomains: [a@example.com]`, 'not a domain'],
  ['a wildcard', `${provider}openIdDomains: ["*.example.com"]`, 'not a domain'],
  ['groups as a mapping', `${provider}openIdGroups: { a: b }`, 'must be a list of entries'],
  [
    'groups as text that is not a list',
    `${provider}openIdGroups: "[{"`,
    'must be a list of entries',
  ],
  ['an entry without an account', `${provider}openIdGroups: [{ group: a }]`, 'wrong entry 1'],
  [
    'the role admin',
    `${provider}openIdGroups: [{ group: a, account: b, role: admin }]`,
    'wrong entry 1',
  ],
  [
    'an unknown member',
    `${provider}openIdGroups: [{ group: a, account: b }, { group: a, account: c, rol: owner }]`,
    'wrong entry 2',
  ],
  [
    'a group twice',
    `${provider}openIdGroups: [{ group: a, account: b }, { group: a, account: b, role: owner }]`,
    'twice',
  ],
  ['a claim with a space', `${provider}openIdGroupsClaim: my groups`, 'without spaces'],
  ['a scope with quotes', `${provider}openIdScope: ['a"b']`, 'not the name of a scope'],
] as const)('%s is refused', (_name, text, words) => {
  expect(refusalOf({ text })).toContain(words)
})
