import { type OpenIdRules, openIdCreateModes } from '../accounts/definition/open-id.ts'
import { defaultSignInLabel } from '../core/text/sign-in-label.ts'
import { claimSetting, domainsSetting, groupsSetting, scopesSetting } from './open-id-kinds.ts'
import { setting } from './setting.ts'
import * as kinds from './setting-kinds.ts'

/** `post` is client_secret_post, `basic` is client_secret_basic. */
const openIdClientAuths = ['auto', 'post', 'basic'] as const

const openIdReauthentications = ['required', 'off'] as const

/** Sign-in to the console with an identity provider. Issuer and client id together enable it. */
export const openIdSettings = {
  openIdIssuer: setting(kinds.issuerSetting, {
    member: null,
    about:
      'An OpenID Connect provider that people can use to sign in to the console. Users are matched by verified email address.',
  }),
  openIdClientId: setting(kinds.lineSetting, {
    member: null,
    about: 'The client id of this gateway at the provider; required with openIdIssuer.',
  }),
  openIdClientSecret: setting(kinds.lineSetting, {
    member: null,
    isSecret: true,
    about: 'The client secret of this gateway at the provider, if it has one.',
  }),
  openIdClientAuth: setting(kinds.enumSetting('METHOD', openIdClientAuths), {
    member: null,
    byDefault: 'auto',
    about:
      'How the client secret is sent: post in the body, basic in a header, or auto for what the provider offers.',
  }),
  openIdLabel: setting(kinds.lineSetting, {
    member: null,
    byDefault: defaultSignInLabel,
    about: 'The label of the sign-in button.',
  }),
  openIdCreate: setting(kinds.enumSetting('MODE', openIdCreateModes), {
    member: null,
    byDefault: 'off',
    about:
      'Whether a first sign-in with the provider creates a user: off, domains for people with an address of openIdDomains, or groups for members of a group of openIdGroups.',
  }),
  openIdDomains: setting(domainsSetting, {
    member: null,
    byDefault: '',
    about: 'Email domains of people who may get a user with openIdCreate; subdomains do not count.',
  }),
  openIdGroups: setting(groupsSetting, {
    member: null,
    byDefault: '',
    about:
      'Groups at the provider whose members are members of an account, each with group, account and role. Every sign-in applies them.',
  }),
  openIdGroupsClaim: setting(claimSetting, {
    member: null,
    byDefault: 'groups',
    about:
      'The claim with the groups of a person; dots lead into objects, as in realm_access.roles.',
  }),
  openIdReauthentication: setting(kinds.enumSetting('MODE', openIdReauthentications), {
    member: null,
    byDefault: 'required',
    about:
      'What counts as a recent sign-in: required, only if the provider says when the person signed in there (auth_time); off, every sign-in with the provider, for providers that cannot say it.',
  }),
  openIdScope: setting(scopesSetting, {
    member: null,
    byDefault: '',
    about: 'Scopes that the gateway asks for in addition to openid and email.',
  }),
}

export interface OpenIdConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly clientAuth: (typeof openIdClientAuths)[number]
  readonly label: string
  readonly rules: OpenIdRules
  readonly groupsClaim: string
  /** `required`: a session is as recent as the sign-in at the provider. */
  readonly reauthentication: (typeof openIdReauthentications)[number]
  /** In addition to openid and email. */
  readonly scopes: readonly string[]
}

type Given<Of> = { readonly [Name in keyof Of]: Of[Name] | undefined }

/** Undefined when no provider is configured. Text: what is wrong with the settings together. */
export function readOpenId(
  values: Given<Omit<OpenIdConfig, 'rules'> & OpenIdRules>,
): OpenIdConfig | string | undefined {
  const { issuer, clientId, clientSecret, clientAuth = 'auto' } = values
  const { label = '', groupsClaim = '', scopes = [], reauthentication = 'required' } = values
  const { create = 'off', domains = [], groups = [] } = values
  if (issuer === undefined && clientId === undefined) {
    if (create !== 'off') return 'openIdCreate needs openIdIssuer and openIdClientId; set them too.'
    if (groups.length > 0)
      return 'openIdGroups needs openIdIssuer and openIdClientId; set them too.'
    return undefined
  }
  if (issuer === undefined || clientId === undefined)
    return 'openIdIssuer and openIdClientId must be set together; set both or neither.'
  if (create === 'domains' && domains.length === 0)
    return 'openIdCreate: domains needs openIdDomains; name the domains of your people.'
  if (create === 'groups' && groups.length === 0)
    return 'openIdCreate: groups needs openIdGroups; map a group to an account.'
  const rules = { create, domains, groups }
  const client = { issuer, clientId, clientSecret, clientAuth }
  return { ...client, label, rules, groupsClaim, reauthentication, scopes }
}
