import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { checkSingleSignOn } from '../../../../src/cli/doctor/check-single-sign-on.ts'
import type { OpenIdConfig } from '../../../../src/config/open-id-settings.ts'
import { noRules } from '../../../support/console/open-id-provider.ts'
import { patience } from '../../../support/patience.ts'
import { type CertifiedProvider, startCertifiedProvider } from './certified-provider.ts'
import { groups, openSignOnConsole, type SignOnConsole } from './open-id-console.ts'

const description = '/.well-known/openid-configuration'

let fixture: SignOnConsole
let provider: CertifiedProvider
beforeAll(async () => {
  fixture = await openSignOnConsole()
  provider = await startCertifiedProvider(`${fixture.url}/console/api/open-id/callback`)
}, patience(20_000))
afterAll(async () => {
  await fixture.close()
  await provider.stop()
}, patience(20_000))
afterEach(() => provider.faults.clear())

function openId(more: Partial<OpenIdConfig> = {}): OpenIdConfig {
  return {
    issuer: provider.issuer,
    clientId: 'RS256',
    clientSecret: 'a secret that doctor does not show',
    clientAuth: 'auto',
    label: 'Our login',
    rules: noRules,
    groupsClaim: 'groups',
    reauthentication: 'required',
    scopes: [],
    ...more,
  }
}

const check = (more?: Partial<OpenIdConfig>) => checkSingleSignOn({ openId: openId(more) }, fixture)

test('without a provider doctor has no check of single sign-on', async () => {
  expect(await checkSingleSignOn({ openId: undefined }, fixture)).toEqual([])
})

test('doctor reads the description of the provider and signs nobody in', async () => {
  provider.asked.length = 0
  const topic = 'single sign-on'
  expect(await check()).toEqual([{ verdict: 'ok', topic, text: `${provider.issuer} answers` }])
  expect(provider.asked).toEqual([description])
})

test('doctor names a provider that cannot be used, and no secret', async () => {
  const closed = 'http://127.0.0.1:1'
  const path = `${provider.issuer}/other`
  for (const issuer of [closed, path]) {
    const [finding, ...more] = await check({ issuer })
    expect(finding).toMatchObject({ verdict: 'fail', topic: 'single sign-on' })
    expect(finding?.text).toStartWith(`${issuer} cannot be used (`)
    expect(finding?.text).toEndWith('); check openIdIssuer and the provider')
    expect(finding?.text).not.toContain('a secret')
    expect(more).toEqual([])
  }
})

test('doctor warns if the provider does not announce when people signed in', async () => {
  const claims = ['sub', 'email']
  const endpoints = { authorization_endpoint: provider.issuer, token_endpoint: provider.issuer }
  const told = { issuer: provider.issuer, ...endpoints, claims_supported: claims }
  provider.faults.set(description, (response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(told)),
  )
  const [finding] = await check()
  expect(finding).toMatchObject({ verdict: 'warn' })
  expect(finding?.text).toContain('auth_time')
  expect(finding?.text).toContain('openIdReauthentication: off')
  expect(await check({ reauthentication: 'off' })).toMatchObject([{ verdict: 'ok' }])
})

test('doctor names the accounts of groups that do not exist', async () => {
  const [known] = groups
  if (!known) throw new Error('the test has no group')
  const lost = { group: 'research', account: 'no-such-account', role: 'viewer' } as const
  const rules = { ...noRules, groups: [known, lost, { ...lost, group: 'lab' }] }
  const findings = await check({ rules })
  expect(findings).toMatchObject([{ verdict: 'ok' }, { verdict: 'warn', topic: 'single sign-on' }])
  expect(findings[1]?.text).toStartWith(
    'openIdGroups leads to accounts that do not exist (no-such-account), ',
  )
  expect(await check({ rules: { ...noRules, groups: [known] } })).toHaveLength(1)
  expect(await checkSingleSignOn({ openId: openId({ rules }) }, undefined)).toHaveLength(1)
})
