import { setting } from './setting.ts'
import * as kinds from './setting-kinds.ts'

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
  openIdLabel: setting(kinds.lineSetting, {
    member: null,
    byDefault: 'Single sign-on',
    about: 'The label of the sign-in button.',
  }),
}

export interface OpenIdConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly label: string
}

/** Undefined when no provider is configured. Only one of the two settings is an error. */
export function readOpenId(values: {
  readonly issuer: string | undefined
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  readonly label: string | undefined
}): OpenIdConfig | 'half' | undefined {
  const { issuer, clientId, clientSecret, label } = values
  if (issuer === undefined && clientId === undefined) return undefined
  if (issuer === undefined || clientId === undefined) return 'half'
  return { issuer, clientId, clientSecret, label: label ?? '' }
}
