import { masked } from './mask.ts'
import type { Setting } from './setting.ts'
import * as schemas from './setting-schemas.ts'

/** Signing in to the console with an identity provider. Issuer and client id together switch it on. */
export const openIdSettings = {
  openIdIssuer: {
    name: 'openIdIssuer',
    variable: 'TOLLGATE_OPEN_ID_ISSUER',
    flag: 'open-id-issuer',
    placeholder: 'URL',
    byDefault: undefined,
    description:
      'An OpenID Connect provider that people may sign in to the console with; its logins are matched by verified email.',
    schema: schemas.issuerSchema,
  } satisfies Setting<string>,
  openIdClientId: {
    name: 'openIdClientId',
    variable: 'TOLLGATE_OPEN_ID_CLIENT_ID',
    flag: 'open-id-client-id',
    placeholder: 'TEXT',
    byDefault: undefined,
    description: 'What the provider calls this gateway; needed with openIdIssuer.',
    schema: schemas.lineSchema,
  } satisfies Setting<string>,
  openIdClientSecret: {
    name: 'openIdClientSecret',
    variable: 'TOLLGATE_OPEN_ID_CLIENT_SECRET',
    flag: 'open-id-client-secret',
    placeholder: 'TEXT',
    byDefault: undefined,
    mask: () => masked,
    isSecret: true,
    description: 'What the provider has given this gateway to prove itself with, if anything.',
    schema: schemas.lineSchema,
  } satisfies Setting<string>,
  openIdLabel: {
    name: 'openIdLabel',
    variable: 'TOLLGATE_OPEN_ID_LABEL',
    flag: 'open-id-label',
    placeholder: 'TEXT',
    byDefault: 'Single sign-on',
    description: 'What the button says.',
    schema: schemas.lineSchema,
  } satisfies Setting<string>,
}

export interface OpenIdConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly label: string
}

/** Undefined when the provider is not configured; one of the two without the other is a slip. */
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
