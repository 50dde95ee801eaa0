import { upstreamProtocols } from '../../core/neutral/protocol-name.ts'
import type { UpstreamTimeouts } from '../../core/upstreams/upstream-timeouts.ts'
import {
  define,
  type EditOf,
  type Field,
  type GivenOf,
  type MaybeField,
  maybe,
  type maybeAll,
  optional,
  required,
  type ValuesIn,
  type ValuesOf,
} from '../../fields/definition.ts'
import { enumKind, orNull } from '../../fields/kind.ts'
import {
  countKind,
  credentialKind,
  flagKind,
  idKind,
  nameKind,
  proxyKind,
  urlKind,
  waitKind,
} from '../../fields/kinds.ts'
import { keptLimitFields } from '../../fields/limit-fields.ts'
import { type ObjectKind, objectKind } from '../../fields/object-kind.ts'
import { certificatesKind } from './certificates.ts'
import { policyKind } from './policy.ts'

const by = 'operator'

const aboutTimeouts: Readonly<Record<keyof UpstreamTimeouts, string>> = {
  connectMs: 'Until the connection to the upstream or its proxy is open.',
  headersMs: 'Until the response headers of a stream arrive.',
  wholeMs: 'Until the response headers arrive, for a request without streaming.',
  firstTokenMs: 'Until the first token arrives.',
  reasoningMs: 'Until the first token arrives, for a reasoning model.',
  idleMs: 'Between two events of a stream.',
  totalMs: 'Until the response is complete.',
}

function timeoutFields<Of>(
  make: (about: string) => Of,
): Readonly<Record<keyof UpstreamTimeouts, Of>> {
  const made = Object.entries(aboutTimeouts).map(([name, about]) => [name, make(about)])
  return Object.fromEntries(made) as Readonly<Record<keyof UpstreamTimeouts, Of>>
}

export const timeoutKind = waitKind(1)
export const probeEveryKind = waitKind(1_000)

/** In milliseconds; absent timeouts have the gateway's default. */
const timeoutsKind: ObjectKind<Partial<UpstreamTimeouts>> = objectKind(
  timeoutFields((about) => maybe(timeoutKind, { about, by })) as Readonly<
    Record<string, MaybeField<number>>
  >,
)
/** All timeouts with the values in force. */
export const wholeTimeouts = timeoutFields(
  (about): Field<number> => required(timeoutKind, { about, by }),
)

const probeKind = objectKind({
  everyMs: required(probeEveryKind, { about: 'Interval between probes, in milliseconds.', by }),
  model: optional(orNull(nameKind), null, {
    about: 'The upstream’s name of the model to probe; null: the model of its first route.',
    by,
  }),
})

/** The options of an upstream besides its base URL. An entry of the file leaves absent options unchanged. */
export const optionFields = {
  concurrencyMax: optional(orNull(countKind(1)), null, {
    file: 'concurrency',
    about: 'Maximum number of concurrent requests per process; null: no limit.',
    by,
    absent: 'keep',
  }),
  timeouts: optional(
    timeoutsKind,
    {},
    {
      about: 'Timeouts for the phases of a response, in milliseconds.',
      by,
      absent: 'keep',
    },
  ),
  ca: optional(orNull(certificatesKind), null, {
    about: 'PEM text of root certificates to trust in addition to the default ones.',
    by,
    absent: 'keep',
  }),
  allowsPrivate: optional(flagKind, false, {
    file: 'privateAddresses',
    about: 'Whether the upstream may have a private address.',
    by,
    absent: 'keep',
  }),
  billsOnAbort: optional(orNull(flagKind, 'auto'), null, {
    about:
      'Whether the upstream bills a response to its end after the connection was closed; null: the known behaviour of the vendor.',
    by,
    absent: 'keep',
  }),
  probe: optional(orNull(probeKind), null, {
    about: 'Periodic health probe; null: none.',
    by,
    absent: 'keep',
  }),
  parameters: optional(orNull(policyKind), null, {
    about: 'Changes to the requests of all its routes. The settings of a route override these.',
    by,
    absent: 'keep',
  }),
} as const

/** The settings of an upstream that an operator chooses. */
export const upstreamDefinition = define('upstream', {
  id: required(idKind, { about: 'The id that routes refer to.', by, isFixed: true }),
  vendor: required(idKind, {
    about: 'The vendor of the service, or the vendor that the service is compatible with.',
    by,
  }),
  protocol: optional(enumKind(upstreamProtocols), 'any', {
    about: 'Protocol of the upstream; any: the client’s own protocol if the vendor supports it.',
    by,
  }),
  baseUrl: optional(orNull(urlKind), null, { about: 'Base URL; null: the vendor’s own.', by }),
  isEnabled: optional(flagKind, true, {
    file: 'enabled',
    about: 'Whether the gateway uses it.',
    by,
    absent: 'keep',
  }),
  ...optionFields,
  proxy: optional(orNull(proxyKind), null, {
    about: 'URL of the proxy, with user and password; null: none.',
    by,
    isSecret: true,
    absent: 'keep',
  }),
})

/** A new upstream with its first credential. */
export const newUpstreamDefinition = define('new upstream', {
  ...upstreamDefinition.fields,
  credential: optional(orNull(credentialKind), null, {
    about: 'The first credential; null: the upstream needs none.',
    by,
    isSecret: true,
  }),
})

export const credentialDefinition = define('credential', {
  name: required(nameKind, { about: 'The display name.', by }),
  value: required(credentialKind, {
    about: 'The secret that the gateway sends to the upstream.',
    by,
    isSecret: true,
  }),
  isEnabled: optional(flagKind, true, {
    file: 'enabled',
    about: 'Whether the gateway uses it.',
    by,
    absent: 'keep',
  }),
  ...keptLimitFields(by),
})

export type UpstreamFieldValues = ValuesOf<typeof upstreamDefinition>
export type UpstreamOptions = ValuesIn<typeof optionFields>
export type GivenUpstream = GivenOf<typeof upstreamDefinition>
export type UpstreamPatch = EditOf<typeof upstreamDefinition>
export type CredentialSettings = Pick<GivenOf<typeof credentialDefinition>, 'name' | 'value'>
/** Absent members stay unchanged. */
export type GivenCredential = Pick<CredentialSettings, 'name'> &
  Omit<ValuesIn<ReturnType<typeof maybeAll<typeof credentialDefinition.fields>>>, 'name'>
