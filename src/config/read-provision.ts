import { provisionedUserDefinition } from '../accounts/definition/user.ts'
import { modelDefinition } from '../catalog/definition/model.ts'
import { routeDefinition } from '../catalog/definition/route.ts'
import type { CredentialSettings } from '../catalog/definition/upstream.ts'
import type { ProtocolName, UpstreamProtocol } from '../core/protocol-name.ts'
import { complete } from '../fields/definition.ts'
import { defaultGroup, keyDefinition } from '../keys/definition/key.ts'
import { ConfigProblem } from './config-problem.ts'
import { firstName } from './credential-field.ts'
import { explainIssues, pathText } from './explain-issue.ts'
import type { Provision, ProvisionUpstream } from './provision.ts'
import { provisionSchema, type SchemaParts, type WrittenProvision } from './provision-schema.ts'
import { provisionName } from './settings.ts'
import type { YamlFile, YamlPath } from './yaml-file.ts'

/** What the loader must know of a vendor. */
export interface VendorFacts {
  readonly protocols: readonly ProtocolName[]
  /** Those that an upstream of no particular protocol is spoken to in. */
  readonly native: readonly [ProtocolName, ...ProtocolName[]]
  readonly baseUrl: string | undefined
}

export const emptyProvision: Provision = {
  groups: [],
  models: [],
  upstreams: [],
  accounts: [],
  users: [],
  keys: [],
}

const { priority, weight } = routeDefinition.fields

export function readProvision(
  file: YamlFile,
  written: unknown,
  vendors: ReadonlyMap<string, VendorFacts>,
  parts: Omit<SchemaParts, 'vendorNames'>,
): Provision {
  if (written === undefined || written === null) return emptyProvision
  const reading = provisionSchema({ ...parts, vendorNames: [...vendors.keys()] }).safeParse(written)
  if (!reading.success) {
    const issues = reading.error.issues.map((issue) => ({
      ...issue,
      path: [provisionName, ...issue.path],
    }))
    throw explainIssues(file, issues)
  }
  checkUnique(file, reading.data)
  return assemble(file, reading.data, vendors)
}

function assemble(
  file: YamlFile,
  data: WrittenProvision,
  vendors: ReadonlyMap<string, VendorFacts>,
): Provision {
  const where = (list: string, index: number) => file.whereIs([provisionName, list, index])
  return {
    groups: (data.groups ?? []).map((group, index) => ({
      ...group,
      where: where('groups', index),
    })),
    models: (data.models ?? []).map((model, index) => ({
      ...complete(modelDefinition, model),
      price: model.price ?? undefined,
      where: where('models', index),
    })),
    upstreams: (data.upstreams ?? []).map((upstream, index) => ({
      ...placeUpstream(file, upstream, index, vendors),
      where: where('upstreams', index),
    })),
    accounts: (data.accounts ?? []).map(({ id, name, creditNano }, index) => ({
      id,
      name: name ?? id,
      creditNano: creditNano ?? undefined,
      where: where('accounts', index),
    })),
    users: (data.users ?? []).map((user, index) => ({
      ...complete(provisionedUserDefinition, user),
      password: user.password,
      where: where('users', index),
    })),
    keys: (data.keys ?? []).map((key, index) => ({
      ...complete(keyDefinition, { ...key, name: key.name ?? key.id }),
      id: key.id,
      value: key.value,
      where: where('keys', index),
    })),
  }
}

type WrittenUpstream = NonNullable<WrittenProvision['upstreams']>[number]

/** A vendor with one native protocol is spoken to in that. */
export function protocolByDefault({ native }: VendorFacts): UpstreamProtocol {
  return native.length > 1 ? 'any' : native[0]
}

function placeUpstream(
  file: YamlFile,
  upstream: WrittenUpstream,
  index: number,
  vendors: ReadonlyMap<string, VendorFacts>,
): Omit<ProvisionUpstream, 'where'> {
  const vendor = vendors.get(upstream.vendor)
  const spoken = vendor?.protocols ?? []
  const protocol = upstream.protocol ?? (vendor && protocolByDefault(vendor))
  const path = ['upstreams', index] as const
  if (protocol === undefined || (protocol !== 'any' && !spoken.includes(protocol))) {
    throw problem(
      file,
      [...path, 'protocol'],
      `"${protocol}" is not spoken by the vendor ${upstream.vendor}; use one of ${spoken.join(', ')}.`,
    )
  }
  const baseUrl = upstream.baseUrl ?? vendor?.baseUrl
  if (baseUrl === undefined) {
    throw problem(
      file,
      path,
      `needs "baseUrl", because the vendor ${upstream.vendor} has no address of its own.`,
    )
  }
  const { credential: _one, credentials: _all, ...given } = upstream
  return {
    ...given,
    protocol,
    baseUrl,
    credentials: credentialsOf(file, upstream, index),
    groups: nonEmpty(file, [...path, 'groups'], upstream.groups),
    priority: upstream.priority ?? priority.initial,
    weight: upstream.weight ?? weight.initial,
  }
}

function credentialsOf(
  file: YamlFile,
  { credential, credentials }: WrittenUpstream,
  index: number,
): readonly CredentialSettings[] | undefined {
  if (credential === undefined) {
    checkNames(file, index, credentials ?? [])
    return credentials
  }
  if (credentials === undefined) return [{ name: firstName, value: credential }]
  throw problem(
    file,
    ['upstreams', index, 'credentials'],
    'stands beside "credential"; keep one of them.',
  )
}

function checkNames(
  file: YamlFile,
  upstream: number,
  credentials: readonly CredentialSettings[],
): void {
  const names = credentials.map(({ name }) => name)
  names.forEach((name, index) => {
    if (names.indexOf(name) === index) return
    throw problem(
      file,
      ['upstreams', upstream, 'credentials', index],
      `repeats the name "${name}"; give it one of its own.`,
    )
  })
}

function nonEmpty(
  file: YamlFile,
  path: YamlPath,
  groups: readonly string[] | undefined,
): readonly string[] {
  if (groups === undefined) return [defaultGroup]
  if (groups.length > 0) return [...new Set(groups)]
  throw problem(file, path, 'must name at least one group, or be left out for the group "default".')
}

function checkUnique(file: YamlFile, data: WrittenProvision): void {
  checkList(
    file,
    'groups',
    'id',
    data.groups?.map(({ id }) => id),
  )
  checkList(
    file,
    'models',
    'id',
    data.models?.map(({ id }) => id),
  )
  checkList(
    file,
    'upstreams',
    'id',
    data.upstreams?.map(({ id }) => id),
  )
  checkList(
    file,
    'accounts',
    'id',
    data.accounts?.map(({ id }) => id),
  )
  checkList(
    file,
    'users',
    'email',
    data.users?.map(({ email }) => email),
  )
  checkList(
    file,
    'keys',
    'id',
    data.keys?.map(({ id }) => id),
  )
  data.upstreams?.forEach((upstream, index) => {
    const ids = upstream.models.map(({ model }) => model)
    checkModels(file, index, ids)
  })
}

function checkModels(file: YamlFile, upstream: number, ids: readonly string[]): void {
  ids.forEach((id, index) => {
    if (ids.indexOf(id) === index) return
    throw problem(
      file,
      ['upstreams', upstream, 'models', index],
      `repeats the model "${id}"; keep one of them.`,
    )
  })
}

function checkList(file: YamlFile, list: string, field: string, ids: readonly string[] = []): void {
  ids.forEach((id, index) => {
    const first = ids.indexOf(id)
    if (first === index) return
    const other = file.whereIs([provisionName, list, first])
    throw problem(
      file,
      [list, index],
      `repeats the ${field} "${id}" of ${other}; keep one of them.`,
    )
  })
}

function problem(file: YamlFile, path: YamlPath, rest: string): ConfigProblem {
  const full = [provisionName, ...path]
  return new ConfigProblem(`${file.whereIs(full)}: ${pathText(full)} ${rest}`)
}
