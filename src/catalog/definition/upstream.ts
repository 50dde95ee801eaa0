import { upstreamProtocols } from '../../core/protocol-name.ts'
import type { UpstreamTimeouts } from '../../core/upstream-timeouts.ts'
import {
  define,
  type EditOf,
  type Field,
  type GivenOf,
  type MaybeField,
  maybe,
  optional,
  required,
  type ValuesIn,
  type ValuesOf,
} from '../../fields/definition.ts'
import { orNull, wordKind } from '../../fields/kind.ts'
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
import { type ObjectKind, objectKind } from '../../fields/object-kind.ts'
import { certificatesKind } from './certificates.ts'
import { policyKind } from './policy.ts'

const by = 'operator'

const aboutTimeouts: Readonly<Record<keyof UpstreamTimeouts, string>> = {
  connectMs: 'Until a connection to it, or to its proxy, is open.',
  headersMs: 'Until the headers of a stream are there.',
  wholeMs: 'Until the headers of a whole answer are there.',
  firstTokenMs: 'Until the first token.',
  reasoningMs: 'Until the first token of a model that thinks before it speaks.',
  idleMs: 'Between two events of a stream.',
  totalMs: 'The whole answer.',
}

function timeoutFields<Of>(
  make: (about: string) => Of,
): Readonly<Record<keyof UpstreamTimeouts, Of>> {
  const made = Object.entries(aboutTimeouts).map(([name, about]) => [name, make(about)])
  return Object.fromEntries(made) as Readonly<Record<keyof UpstreamTimeouts, Of>>
}

/** In milliseconds; absent timeouts have the gateway's default. */
const timeoutsKind: ObjectKind<Partial<UpstreamTimeouts>> = objectKind(
  timeoutFields((about) => maybe(waitKind(1), { about, by })) as Readonly<
    Record<string, MaybeField<number>>
  >,
)
/** All timeouts with the values in force. */
export const wholeTimeouts = timeoutFields(
  (about): Field<number> => required(waitKind(1), { about, by }),
)

const probeKind = objectKind({
  everyMs: required(waitKind(1_000), { about: 'How often it is asked, in milliseconds.', by }),
  model: optional(orNull(nameKind), null, {
    about: 'The upstream’s own name of the model that is asked; null: of its first route.',
    by,
  }),
})

/** The options of an upstream besides its base URL. An entry of the file leaves absent options unchanged. */
export const optionFields = {
  concurrencyMax: optional(orNull(countKind(1)), null, {
    file: 'concurrency',
    about: 'At most so many requests at once in one process; null: no limit.',
    by,
    absent: 'keep',
  }),
  timeouts: optional(
    timeoutsKind,
    {},
    {
      about: 'How long it may take for each part of an answer, in milliseconds.',
      by,
      absent: 'keep',
    },
  ),
  ca: optional(orNull(certificatesKind), null, {
    about: 'PEM text of roots that are trusted besides the usual ones.',
    by,
    absent: 'keep',
  }),
  allowsPrivate: optional(flagKind, false, {
    file: 'privateAddresses',
    about: 'Whether it may stand at a private address.',
    by,
    absent: 'keep',
  }),
  billsOnAbort: optional(orNull(flagKind, 'auto'), null, {
    about:
      'Whether it bills an answer to its end although the connection was closed; null: as is known of the vendor.',
    by,
    absent: 'keep',
  }),
  probe: optional(orNull(probeKind), null, {
    about: 'Asks it now and then whether it is well; null: never.',
    by,
    absent: 'keep',
  }),
  parameters: optional(orNull(policyKind), null, {
    about: 'What is changed in the requests of all its routes; a route’s own goes over it.',
    by,
    absent: 'keep',
  }),
} as const

/** The settings of an upstream that an operator chooses. */
export const upstreamDefinition = define('upstream', {
  id: required(idKind, { about: 'What routes call it.', by, isFixed: true }),
  vendor: required(idKind, { about: 'Whose service it is, or whose it is like.', by }),
  protocol: optional(wordKind(upstreamProtocols), 'any', {
    about: 'How it is spoken to; any: in the client’s own protocol where its vendor has it.',
    by,
  }),
  baseUrl: optional(orNull(urlKind), null, { about: 'Its address; null: the vendor’s own.', by }),
  isEnabled: optional(flagKind, true, {
    file: 'enabled',
    about: 'Whether it is used.',
    by,
    absent: 'keep',
  }),
  ...optionFields,
  proxy: optional(orNull(proxyKind), null, {
    about: 'Address of the proxy it is reached by, with user and password; null: none.',
    by,
    isSecret: true,
    absent: 'keep',
  }),
})

/** A new upstream with its first credential. */
export const newUpstreamDefinition = define('new upstream', {
  ...upstreamDefinition.fields,
  credential: optional(orNull(credentialKind), null, {
    about: 'The first credential; null: it asks for none.',
    by,
    isSecret: true,
  }),
})

export const credentialDefinition = define('credential', {
  name: required(nameKind, { about: 'What people call it.', by }),
  value: required(credentialKind, { about: 'What is shown to the upstream.', by, isSecret: true }),
  isEnabled: optional(flagKind, true, {
    file: 'enabled',
    about: 'Whether it is used.',
    by,
    absent: 'keep',
  }),
})

export type UpstreamFieldValues = ValuesOf<typeof upstreamDefinition>
export type UpstreamOptions = ValuesIn<typeof optionFields>
export type GivenUpstream = GivenOf<typeof upstreamDefinition>
export type UpstreamPatch = EditOf<typeof upstreamDefinition>
export type CredentialSettings = Pick<GivenOf<typeof credentialDefinition>, 'name' | 'value'>
/** Absent members stay unchanged. */
export interface GivenCredential {
  readonly name: string
  readonly value?: string | undefined
  readonly isEnabled?: boolean | undefined
}
