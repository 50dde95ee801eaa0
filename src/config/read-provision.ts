import type { z } from 'zod'
import { provisionedUserDefinition } from '../accounts/definition/user.ts'
import { alertDefinition, alertProblem } from '../alerts/definition/alert.ts'
import { modelDefinition } from '../catalog/definition/model.ts'
import { routeDefinition } from '../catalog/definition/route.ts'
import type { GivenCredential } from '../catalog/definition/upstream.ts'
import type { ProtocolName, UpstreamProtocol } from '../core/neutral/protocol-name.ts'
import { complete } from '../fields/definition.ts'
import { problemText } from '../fields/problems.ts'
import { defaultGroup, keyDefinition } from '../keys/definition/key.ts'
import { checkNames, checkRoutes, checkUnique } from './check-unique.ts'
import { firstName } from './credential-field.ts'
import { explainIssues } from './explain-issue.ts'
import type { Provision, ProvisionUpstream } from './provision.ts'
import {
  listsSchema,
  provisionSchema,
  type RoutedModelSchema,
  type SchemaDeps,
  type WrittenProvision,
} from './provision-schema.ts'
import { provisionName } from './settings.ts'
import { problemAt, type WrittenDocument } from './written-document.ts'
import type { YamlFile, YamlPath } from './yaml-file.ts'

/** The facts about a vendor that the loader needs. */
export interface ProvisionVendor {
  readonly protocols: readonly ProtocolName[]
  /** The protocols that the gateway may use with an upstream without a fixed protocol. */
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
  alerts: [],
}

/** In the usual order of the file. */
const listNames = ['groups', 'models', 'upstreams', 'accounts', 'users', 'keys', 'alerts'] as const
/** Only the first issue is reported, so parsing stops after this many. */
const issuesMax = 100

type Issue = z.core.$ZodIssue

const { priority, weight } = routeDefinition.fields

/** This many models of an upstream take as much work as one entry. */
const routesAStep = 10

/** A step reads the lists, one entry, or some models of an upstream. Other work may run between two steps. */
export function* readingSteps(
  document: WrittenDocument,
  vendors: ReadonlyMap<string, ProvisionVendor>,
  deps: Omit<SchemaDeps, 'vendorNames'>,
): Generator<undefined, Provision> {
  const { file, root, written } = document
  if (written === undefined || written === null) return emptyProvision
  const lists = listsSchema.safeParse(written)
  if (!lists.success) throw explainIssues(file, below(root, lists.error.issues))
  yield
  const vendorNames = [...vendors.keys()]
  const { entries: entrySchemas, routedModel } = provisionSchema({ ...deps, vendorNames })
  yield
  const data = noEntries()
  const issues: Issue[] = []
  for (const list of listNames) {
    const entries: readonly unknown[] = lists.data[list] ?? []
    for (const [index, given] of entries.entries()) {
      const path = [...root, list, index]
      const reading = entrySchemas[list].safeParse(given)
      if (!reading.success) issues.push(...below(path, reading.error.issues))
      const models =
        list === 'upstreams'
          ? yield* readModels(routedModel, given, [...path, 'models'], issues)
          : undefined
      if (reading.success)
        (data[list] as unknown[]).push(models ? { ...reading.data, models } : reading.data)
      if (issues.length > issuesMax) throw explainIssues(file, issues)
      yield
    }
  }
  if (issues.length > 0) throw explainIssues(file, issues)
  checkUnique(document, data)
  yield
  return yield* assemble(document, data, vendors)
}

/** Parses the models of an upstream and adds their issues to the others. */
function* readModels(
  schema: RoutedModelSchema,
  upstream: unknown,
  path: YamlPath,
  issues: Issue[],
): Generator<undefined, z.infer<RoutedModelSchema>[]> {
  const given = typeof upstream === 'object' && upstream !== null && 'models' in upstream
  const list: readonly unknown[] = given && Array.isArray(upstream.models) ? upstream.models : []
  const models: z.infer<RoutedModelSchema>[] = []
  for (const [index, each] of list.entries()) {
    const reading = schema.safeParse(each)
    if (reading.success) models.push(reading.data)
    else issues.push(...below([...path, index], reading.error.issues))
    if (issues.length > issuesMax) break
    if ((index + 1) % routesAStep === 0) yield
  }
  return models
}

export function readProvision(
  file: YamlFile,
  written: unknown,
  vendors: ReadonlyMap<string, ProvisionVendor>,
  deps: Omit<SchemaDeps, 'vendorNames'>,
): Provision {
  const steps = readingSteps({ file, root: [provisionName], written }, vendors, deps)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

function below(root: YamlPath, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: [...root, ...issue.path] }))
}

function noEntries(): { [List in keyof WrittenProvision]: WrittenProvision[List][number][] } {
  return { groups: [], models: [], upstreams: [], accounts: [], users: [], keys: [], alerts: [] }
}

function* assemble(
  document: WrittenDocument,
  data: WrittenProvision,
  vendors: ReadonlyMap<string, ProvisionVendor>,
): Generator<undefined, Provision> {
  const placed = function* <Given, Made extends object>(
    list: keyof Provision,
    entries: readonly Given[],
    make: (given: Given, index: number) => Made,
  ) {
    const made: (Made & { readonly where: string })[] = []
    for (const [index, given] of entries.entries()) {
      const where = document.file.whereIs([...document.root, list, index])
      made.push({ ...make(given, index), where })
      yield
    }
    return made
  }
  return {
    groups: yield* placed('groups', data.groups, (group) => group),
    models: yield* placed('models', data.models, (model) => ({
      ...complete(modelDefinition, model),
      requestsPerMinute: model.requestsPerMinute,
      tokensPerMinute: model.tokensPerMinute,
      concurrentRequests: model.concurrentRequests,
      price: model.price ?? undefined,
      plannedPrices: model.plannedPrices,
    })),
    upstreams: yield* placed('upstreams', data.upstreams, (upstream, index) =>
      placeUpstream(document, upstream, index, vendors),
    ),
    accounts: yield* placed('accounts', data.accounts, ({ id, name, ...account }) => ({
      ...account,
      id,
      name: name ?? id,
      creditNano: account.creditNano ?? undefined,
    })),
    users: yield* placed('users', data.users, (user) => ({
      ...complete(provisionedUserDefinition, user),
      isSuspended: user.isSuspended,
      source: user.source,
      password: user.password,
    })),
    keys: yield* placed('keys', data.keys, (key) => ({
      ...complete(keyDefinition, { ...key, name: key.name ?? key.id }),
      id: key.id,
      value: key.value,
    })),
    alerts: yield* placed('alerts', data.alerts, (given, index) => {
      const alert = complete(alertDefinition, { ...given, name: given.name ?? given.id })
      // Whether a new alert lacks its URL or secret is known only when it is applied.
      const wrong = alertProblem(alert, { hasUrl: true, hasSecret: true })
      if (!wrong) return { ...alert, id: given.id }
      const text = problemText(wrong.problem)
      throw problemAt(document, ['alerts', index, wrong.field], `${text}.`)
    }),
  }
}

type WrittenUpstream = WrittenProvision['upstreams'][number]

/** A vendor with one native protocol uses that protocol. */
export function protocolByDefault({ native }: ProvisionVendor): UpstreamProtocol {
  return native.length > 1 ? 'any' : native[0]
}

function placeUpstream(
  document: WrittenDocument,
  upstream: WrittenUpstream,
  index: number,
  vendors: ReadonlyMap<string, ProvisionVendor>,
): Omit<ProvisionUpstream, 'where'> {
  const vendor = vendors.get(upstream.vendor)
  const supported = vendor?.protocols ?? []
  const protocol = upstream.protocol ?? (vendor && protocolByDefault(vendor))
  const path = ['upstreams', index] as const
  if (protocol === undefined || (protocol !== 'any' && !supported.includes(protocol))) {
    throw problemAt(
      document,
      [...path, 'protocol'],
      `"${protocol}" is not supported by the vendor ${upstream.vendor}; use one of ${supported.join(', ')}.`,
    )
  }
  const baseUrl = upstream.baseUrl ?? vendor?.baseUrl
  if (baseUrl === undefined) {
    throw problemAt(
      document,
      path,
      `needs "baseUrl", because the vendor ${upstream.vendor} has no default base URL.`,
    )
  }
  const { credential: _one, credentials: _all, ...given } = upstream
  const groups = groupsOf(document, upstream, index)
  const routes = upstream.models.map((route) => ({ ...route, groups: route.groups ?? groups }))
  checkRoutes(document, index, routes)
  return {
    ...given,
    protocol,
    baseUrl,
    credentials: credentialsOf(document, upstream, index),
    groups,
    models: upstream.models,
    priority: upstream.priority ?? priority.initial,
    weight: upstream.weight ?? weight.initial,
  }
}

function credentialsOf(
  document: WrittenDocument,
  { credential, credentials }: WrittenUpstream,
  index: number,
): readonly GivenCredential[] | undefined {
  if (credential === undefined) {
    checkNames(document, index, credentials ?? [])
    return credentials
  }
  if (credentials === undefined) return [{ name: firstName, value: credential }]
  throw problemAt(
    document,
    ['upstreams', index, 'credentials'],
    'cannot be used together with "credential"; keep one of them.',
  )
}

/** An upstream needs no groups if all its models name their own. */
function groupsOf(
  document: WrittenDocument,
  { groups, models }: WrittenUpstream,
  index: number,
): readonly string[] {
  const path = ['upstreams', index] as const
  const must = 'must name at least one group, or be omitted for the group "default".'
  models.forEach((route, at) => {
    if (route.groups?.length === 0) {
      const left = 'must name at least one group, or be omitted for the groups of the upstream.'
      throw problemAt(document, [...path, 'models', at, 'groups'], left)
    }
  })
  if (groups === undefined) return [defaultGroup]
  const isNeeded = models.some((route) => route.groups === undefined)
  if (groups.length === 0 && isNeeded) throw problemAt(document, [...path, 'groups'], must)
  return [...new Set(groups)]
}
