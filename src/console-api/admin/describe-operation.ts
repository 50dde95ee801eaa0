import type { z } from 'zod'
import { sufficientScopes } from '../../core/access/admin-scope.ts'
import { idempotencyKeyPattern } from '../../store/changes/idempotency.ts'
import { rowFileTypes } from '../contract/operations/operation.ts'
import { idInPath } from '../http/router.ts'
import type { OperationRoute } from '../routes/route.ts'
import { tagsPattern } from './entity-tag.ts'
import { parametersOf } from './parameters.ts'
import { type RefusalStatus, refusalStatuses } from './problem.ts'
import { areaOf, moneyMemberOf, operationsOf } from './route-areas.ts'
import { settingsReaderOf, showsTagged } from './tagged-settings.ts'

export type OpenApiObject = Readonly<Record<string, unknown>>
/** The schema, or a reference to it. */
export type Refer = (shape: z.ZodType) => OpenApiObject

const text = { type: 'string' }

/** The OpenAPI operation of a route. */
export function describeOperation(
  route: OperationRoute,
  path: string,
  refer: Refer,
): OpenApiObject {
  const { method, summary, body, example } = route
  const area = areaOf(route)?.area
  const operations = operationsOf(route)
  const scopes = operations.flatMap(sufficientScopes)
  const reach = reachOf(route, operations)
  return {
    operationId: operationIdOf(method, path),
    summary,
    description: `Requires ${scopesText(scopes)}, and ${reachText[reach]}.${moneyNote(route)}`,
    'x-scopes': scopes,
    'x-reach': reach,
    ...(area !== undefined && { tags: [area] }),
    parameters: [...pathParameters(path), ...queryParameters(route), ...headersOf(route)],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: refer(body), ...(example && { example }) },
        },
      },
    }),
    responses: { ...goodAnswers(route, refer), ...refusals(route) },
  }
}

const reachText = {
  gateway: 'a token for the whole gateway',
  account: 'a token for the whole gateway or for the account concerned',
  'own-account': 'a token that an owner of the account concerned has made',
}

/** The tokens that suffice. Operators decide nothing in accounts of which they are no members. */
function reachOf(
  route: OperationRoute,
  operations: ReturnType<typeof operationsOf>,
): keyof typeof reachText {
  if (route.owns === 'path-own-account') return 'own-account'
  return operations.some((each) => each.reach === 'gateway') ? 'gateway' : 'account'
}

function moneyNote(route: OperationRoute): string {
  const member = moneyMemberOf(route)
  if (member === undefined) return ''
  const scopes = sufficientScopes({ area: 'money', kind: 'moves-money', reach: 'gateway' })
  return ` A request with ${member} also requires ${scopesText(scopes)}.`
}

function scopesText(scopes: readonly string[]): string {
  return scopes.length === 1 ? `the scope ${scopes[0]}` : `one of the scopes ${scopes.join(', ')}`
}

/** The method followed by the segments of the path. */
function operationIdOf(method: string, path: string): string {
  const segments = path.replace('{id}', 'by-id').split(/\W+/).filter(Boolean)
  const pascal = segments.map((name) => name.charAt(0).toUpperCase() + name.slice(1))
  return method.toLowerCase() + pascal.join('')
}

function pathParameters(path: string): readonly OpenApiObject[] {
  if (!path.includes('{id}')) return []
  return [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'The id of the resource. Write a slash as %2F.',
      schema: idInPath,
    },
  ]
}

function queryParameters({ query, owns }: OperationRoute): readonly OpenApiObject[] {
  return parametersOf(query).map(({ name, isNeeded, description, schema }) => ({
    name,
    in: 'query',
    // The account is checked before the parameters.
    required: isNeeded || (owns === 'one-account' && name === 'account'),
    ...(description !== undefined && { description }),
    schema,
  }))
}

function isMoneyMoved(route: OperationRoute): boolean {
  return (
    operationsOf(route).some(({ kind }) => kind === 'moves-money') ||
    moneyMemberOf(route) !== undefined
  )
}

function isTagChecked(route: OperationRoute): boolean {
  return route.method !== 'GET' && settingsReaderOf(route) !== undefined
}

/** Whether the operation may create the resource. */
function mayMake({ method, path }: OperationRoute): boolean {
  return method === 'PUT' && path.endsWith('/{id}')
}

function headersOf(route: OperationRoute): readonly OpenApiObject[] {
  const tags = { type: 'string', pattern: tagsPattern }
  const header = (name: string, description: string, schema: OpenApiObject, example?: string) => ({
    name,
    in: 'header',
    description,
    schema,
    ...(example !== undefined && { example }),
  })
  const match = header(
    'If-Match',
    'The ETag that you read. If it has changed by now, nothing happens.',
    tags,
    '*',
  )
  const noneMatch = header(
    'If-None-Match',
    'Send * to create the resource only if it does not exist.',
    tags,
    '"ktXETchDTtGd7egOuX9zEPfqGnR"',
  )
  const key = header(
    'Idempotency-Key',
    'A request that is repeated with the same key within 24 hours takes effect once.',
    { type: 'string', pattern: idempotencyKeyPattern.source },
  )
  return [
    ...(isTagChecked(route) ? [match] : []),
    ...(isTagChecked(route) && mayMake(route) ? [noneMatch] : []),
    ...(isMoneyMoved(route) ? [key] : []),
  ]
}

const anyObject = { type: 'object' }
const objectTypes: readonly string[] = ['application/json', 'application/yaml']

function goodAnswers(route: OperationRoute, refer: Refer): OpenApiObject {
  const { answer } = route
  if (answer === null) {
    const types = route.fileTypes ?? rowFileTypes
    const content = Object.fromEntries(
      types.map((type) => [type, { schema: objectTypes.includes(type) ? anyObject : text }]),
    )
    const description = 'The file name.'
    const headers = { 'Content-Disposition': { description, schema: text } }
    return { 200: { description: 'The file.', headers, content } }
  }
  const headers = {
    ...(showsTagged(route) && {
      ETag: { description: 'The tag of these settings, for If-Match.', schema: text },
    }),
    ...(isMoneyMoved(route) && {
      'Idempotency-Replayed': {
        description: 'true if this is the stored response to an earlier request with the same key.',
        schema: { type: 'string', enum: ['true'] },
      },
    }),
  }
  const good = {
    description: 'Done.',
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { 'application/json': { schema: refer(answer) } },
  }
  return mayMake(route) || isPutOfPart(route)
    ? { 200: good, 201: { ...good, description: 'Created.' } }
    : { 200: good }
}

/** A PUT of a named credential of an upstream. */
function isPutOfPart({ method, path }: OperationRoute): boolean {
  return method === 'PUT' && path.includes('{id}/')
}

const responsesRoot = '#/components/responses/'

function refusals(route: OperationRoute): OpenApiObject {
  return Object.fromEntries(
    refusalStatuses(route).map(({ status, name }) => [status, { $ref: responsesRoot + name }]),
  )
}

/** A refusal response that operations refer to. */
export function describeRefusal(
  { status, why }: RefusalStatus,
  problem: OpenApiObject,
): OpenApiObject {
  const headers = {
    ...(status === 401 && {
      'WWW-Authenticate': { description: 'How to send a token.', schema: text },
    }),
    ...(status === 412 && {
      ETag: { description: 'The current tag, if the resource exists.', schema: text },
    }),
    ...((status === 429 || status === 503) && {
      'Retry-After': {
        description: 'Seconds to wait before you retry.',
        schema: { type: 'string', pattern: '^[0-9]+$' },
      },
    }),
  }
  return {
    description: why,
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { 'application/problem+json': { schema: problem } },
  }
}
