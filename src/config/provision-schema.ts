import { z } from 'zod'
import { upstreamProtocols } from '../core/protocol-name.ts'
import { keyDefinition, keyValueKind } from '../keys/definition/key.ts'
import { credentialField, credentialsField, secretField } from './credential-field.ts'
import { definedEntry, secretOf } from './defined-entry.ts'
import {
  countField,
  dollarsField,
  emailField,
  entry,
  factorField,
  flagField,
  idField,
  listOf,
  nameField,
  urlField,
  wordField,
} from './entry-fields.ts'
import { featuresField } from './feature-fields.ts'
import { accountsField, fallbacksField } from './group-fields.ts'
import { policyField } from './policy-field.ts'
import type { SecretReader } from './secret-reader.ts'
import {
  billsOnAbortField,
  caField,
  concurrencyField,
  probeField,
  proxyField,
  timeoutsField,
} from './upstream-fields.ts'

const passwordLengthMin = 8

/** The fields whose values are never repeated in a message. */
export const secretFields: readonly string[] = [
  'credential',
  'credentials',
  'headers',
  'password',
  'proxy',
  'value',
  'secret',
]

const tokenPrices = {
  input: dollarsField,
  output: dollarsField,
  cacheRead: dollarsField.optional(),
  cacheWrite5m: dollarsField.optional(),
  cacheWrite1h: dollarsField.optional(),
}

const price = entry({
  ...tokenPrices,
  request: dollarsField.optional(),
  features: featuresField.optional(),
  longPrompts: listOf(entry({ above: countField(1), ...tokenPrices })).optional(),
})

const model = entry({
  id: idField,
  displayName: nameField.optional(),
  ownedBy: nameField.optional(),
  contextTokens: countField(1).optional(),
  maxOutputTokens: countField(1).optional(),
  price: price.optional(),
})

const account = entry({ id: idField, name: nameField.optional(), credit: dollarsField.optional() })

/** A model by its id alone, or with the upstream's own name for it. */
const routedModel = z.preprocess(
  (input) => (typeof input === 'string' ? { id: input } : input),
  entry({
    id: idField,
    as: nameField.optional(),
    priority: countField(0).optional(),
    weight: countField(0).optional(),
    parameters: policyField.optional(),
  }),
)

const group = entry({
  id: idField,
  factor: factorField.optional(),
  unsupported: wordField(['drop', 'reject']).optional(),
  unpricedFeatures: wordField(['refuse', 'token_price']).optional(),
  sharedObjects: wordField(['refuse', 'allow']).optional(),
  accounts: accountsField.optional(),
  fallbacks: fallbacksField.optional(),
})

/** `protocol` is checked against the vendor later; here only against all there are. */
const protocolField = wordField(upstreamProtocols)

export interface SchemaParts {
  readonly vendorNames: readonly string[]
  readonly secrets: SecretReader
  /** Of a path as it is written; throws as node:fs does. */
  readonly readFile: (path: string) => string
}

export function provisionSchema({ vendorNames, secrets, readFile }: SchemaParts) {
  const upstream = entry({
    id: idField,
    vendor: wordField(vendorNames),
    protocol: protocolField.optional(),
    baseUrl: urlField.optional(),
    credential: credentialField(secrets).optional(),
    credentials: credentialsField(secrets).optional(),
    groups: listOf(idField),
    models: z.array(routedModel, { error: 'must be a list of models' }),
    priority: countField(0).optional(),
    weight: countField(1).optional(),
    concurrency: concurrencyField.optional(),
    timeouts: timeoutsField.optional(),
    proxy: proxyField(secrets).optional(),
    ca: caField(readFile).optional(),
    privateAddresses: flagField.optional(),
    billsOnAbort: billsOnAbortField.optional(),
    probe: probeField.optional(),
    parameters: policyField.optional(),
    enabled: flagField.optional(),
  })
  const user = entry({
    email: emailField,
    password: secretField(
      secrets,
      `must be text of at least ${passwordLengthMin} characters`,
      (value) => value.length >= passwordLengthMin,
    ).optional(),
    role: wordField(['admin', 'member']).optional(),
    accounts: listOf(idField),
  })
  const key = definedEntry(
    keyDefinition,
    { id: idField, name: nameField.optional(), value: secretOf(keyValueKind, secrets).optional() },
    secrets,
  )
  return entry({
    groups: listOf(group),
    models: listOf(model),
    upstreams: listOf(upstream),
    accounts: listOf(account),
    users: listOf(user),
    keys: listOf(key),
  })
}

export type WrittenProvision = z.infer<ReturnType<typeof provisionSchema>>
