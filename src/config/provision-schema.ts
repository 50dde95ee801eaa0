import { z } from 'zod'
import { newAccountDefinition } from '../accounts/definition/account.ts'
import { ownPasswordDefinition, provisionedUserDefinition } from '../accounts/definition/user.ts'
import { alertDefinition } from '../alerts/definition/alert.ts'
import { groupDefinition } from '../catalog/definition/group.ts'
import { provisionedModelDefinition } from '../catalog/definition/model.ts'
import { routeDefinition } from '../catalog/definition/route.ts'
import {
  credentialDefinition,
  newUpstreamDefinition,
  upstreamDefinition,
} from '../catalog/definition/upstream.ts'
import { type AnyField, type Definition, unquotedNames } from '../fields/definition.ts'
import { enumKind } from '../fields/kind.ts'
import { chosenSecretKind, givenPasswordKind, idKind, nameKind } from '../fields/kinds.ts'
import { keyDefinition, newKeyDefinition } from '../keys/definition/key.ts'
import { credentialField, credentialsField } from './credential-field.ts'
import { definedEntry, secretOf } from './defined-entry.ts'
import { entry, listOf } from './entry-fields.ts'
import type { SecretReader } from './secret-reader.ts'
import { caField } from './upstream-fields.ts'

/** The definitions of the entries of each list, including the fields that exist only on creation. */
const listed = {
  groups: [groupDefinition],
  models: [provisionedModelDefinition],
  upstreams: [newUpstreamDefinition],
  accounts: [newAccountDefinition],
  users: [provisionedUserDefinition, ownPasswordDefinition],
  keys: [newKeyDefinition],
  alerts: [alertDefinition],
} as const satisfies Readonly<Record<string, readonly Definition[]>>
type List = keyof typeof listed

/** Fields of an entry that contain objects with their own definitions. */
const held = { credentials: credentialDefinition, models: routeDefinition } as const

/** The fields whose values never appear in a message. */
export const secretFields: ReadonlySet<string> = new Set([
  ...Object.values<readonly Definition[]>(listed).flatMap((definitions) =>
    definitions.flatMap(({ fields }) => unquotedNames(fields)),
  ),
  ...Object.entries(held).flatMap(([name, { fields }]) => {
    const inside = unquotedNames(fields)
    // A list that is wrong as a whole may contain a secret too.
    return Object.values<AnyField>(fields).some(({ isSecret }) => isSecret)
      ? [name, ...inside]
      : inside
  }),
])

/** The upstream's values apply to routes that set none themselves. */
const { priority, weight } = routeDefinition.fields

export interface SchemaDeps {
  readonly vendorNames: readonly string[]
  readonly secrets: SecretReader
  /** Reads a path as written; throws as node:fs does. Undefined where no file may be read. */
  readonly readFile: ((path: string) => string) | undefined
}

export function provisionSchema({ vendorNames, secrets, readFile }: SchemaDeps) {
  const group = definedEntry(groupDefinition, {}, secrets)
  const model = definedEntry(provisionedModelDefinition, {}, secrets)
  /** A model by its id alone, or with the upstream's own name for it. */
  const routedModel = z.preprocess(
    (input) => (typeof input === 'string' ? { id: input } : input),
    definedEntry(routeDefinition, { groups: listOf(idKind.written) }, secrets),
  )
  const upstream = definedEntry(
    upstreamDefinition,
    {
      vendor: enumKind(vendorNames).written,
      ca: caField(readFile).optional(),
      credential: credentialField(secrets).optional(),
      credentials: credentialsField(secrets).optional(),
      groups: listOf(idKind.written),
      // There may be thousands of models, so each is parsed separately.
      models: z.array(z.unknown(), { error: 'must be a list of models' }),
      priority: priority.kind.written.optional(),
      weight: weight.kind.written.optional(),
    },
    secrets,
  )
  const account = definedEntry(newAccountDefinition, { name: nameKind.written.optional() }, secrets)
  // The rules for a new password are checked only if the password is new.
  const password = secretOf(givenPasswordKind, secrets).optional()
  const user = definedEntry(provisionedUserDefinition, { password }, secrets)
  const key = definedEntry(
    keyDefinition,
    {
      id: idKind.written,
      name: nameKind.written.optional(),
      value: secretOf(chosenSecretKind, secrets).optional(),
    },
    secrets,
  )
  const alert = definedEntry(
    alertDefinition,
    { id: idKind.written, name: nameKind.written.optional() },
    secrets,
  )
  const entries = {
    groups: group,
    models: model,
    upstreams: upstream,
    accounts: account,
    users: user,
    keys: key,
    alerts: alert,
  } satisfies Record<List, z.ZodType>
  return { entries, routedModel }
}

/** The schemas of a document: each list with its entries. */
type Schemas = ReturnType<typeof provisionSchema>
type Entries = { readonly [List in keyof Schemas['entries']]: z.infer<Schemas['entries'][List]> }
export type RoutedModelSchema = Schemas['routedModel']
type WrittenUpstream = Omit<Entries['upstreams'], 'models'> & {
  readonly models: readonly z.infer<RoutedModelSchema>[]
}
export type WrittenProvision = {
  readonly [List in keyof Entries]: readonly (List extends 'upstreams'
    ? WrittenUpstream
    : Entries[List])[]
}

const anyList = listOf(z.unknown())

/** Only the lists; their entries are parsed one by one. */
export const listsSchema = entry(
  Object.fromEntries(Object.keys(listed).map((list) => [list, anyList])) as Readonly<
    Record<List, typeof anyList>
  >,
)
