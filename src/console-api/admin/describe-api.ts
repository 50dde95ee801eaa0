import { z } from 'zod'
import { enoughFor } from '../../core/admin-scope.ts'
import { turns } from '../../core/turns.ts'
import * as account from '../contract/account.ts'
import * as audit from '../contract/audit.ts'
import * as billing from '../contract/billing.ts'
import * as catalog from '../contract/catalog.ts'
import * as keys from '../contract/keys.ts'
import { managedBodies } from '../contract/managed-bodies.ts'
import * as models from '../contract/models.ts'
import * as overview from '../contract/overview.ts'
import * as people from '../contract/people.ts'
import * as shapes from '../contract/shapes.ts'
import * as system from '../contract/system.ts'
import * as upstreams from '../contract/upstreams.ts'
import * as usage from '../contract/usage.ts'
import type { Route } from '../route.ts'
import { idPattern } from '../router.ts'
import { adminRoot, adminRoutes, descriptionPath } from './admin-routes.ts'
import { parametersOf } from './parameters.ts'
import { problemSchema, refusalStatuses } from './problem.ts'
import { areaOf, operationsOf } from './route-areas.ts'
import { settingsReaderOf, showsTagged } from './tagged-settings.ts'

type Json = Readonly<Record<string, unknown>>

const componentsRoot = '#/components/schemas/'

/** The shapes of the contract, by the names that they are exported with. */
const named: Readonly<Record<string, unknown>> = {
  ...account,
  ...audit,
  ...billing,
  ...catalog,
  ...keys,
  ...models,
  ...overview,
  ...people,
  ...shapes,
  ...system,
  ...upstreams,
  ...usage,
  ...managedBodies,
  problem: problemSchema,
}

let described: Promise<Json> | undefined

/** The description of the admin API as OpenAPI 3.1, made from the operations themselves. */
export function describeApi(brand: string): Promise<Json> {
  described ??= build(brand)
  return described
}

/** Takes some 70 ms of work, so each piece of it is done in a turn of the event loop of its own. */
async function build(brand: string): Promise<Json> {
  const shapesOf = new Shapes()
  const paths: Record<string, Record<string, Json>> = {
    [descriptionPath]: { get: describeDescription() },
  }
  for (const { route, path } of adminRoutes) {
    await turns.next()
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describeOperation(route, path, shapesOf),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${brand} admin API`,
      version: '1',
      description:
        'Everything that an operator or the owner of an account can do in the console. Amounts are whole nano-US-dollars written as decimal text; times are milliseconds since 1970.',
    },
    servers: [{ url: adminRoot }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of the admin API, such as tgat_…',
        },
      },
      schemas: await shapesOf.schemas(),
    },
  }
}

/** The schemas that more than one operation may use, each once. */
class Shapes {
  readonly #ids = new Map<z.ZodType, string>()

  constructor() {
    for (const [name, shape] of Object.entries(named)) {
      if (!(shape instanceof z.ZodType) || this.#ids.has(shape)) continue
      const id = name.charAt(0).toUpperCase() + name.slice(1)
      this.#ids.set(shape, id)
    }
  }

  async schemas(): Promise<Json> {
    const schemas: Record<string, Json> = {}
    for (const [shape, id] of this.#ids) {
      await turns.next()
      schemas[id] = this.#convert(shape)
    }
    return schemas
  }

  refer(shape: z.ZodType): Json {
    const id = this.#ids.get(shape)
    return id === undefined ? this.#convert(shape) : { $ref: componentsRoot + id }
  }

  /** What it is made of that has a name is referred to by the name. */
  #convert(shape: z.ZodType): Json {
    const { $schema: _, ...schema } = z.toJSONSchema(shape, {
      io: 'input',
      override: ({ zodSchema, jsonSchema }) => {
        // Of a property it would say that nobody may send it.
        delete jsonSchema.readOnly
        const id = zodSchema instanceof z.ZodType ? this.#ids.get(zodSchema) : undefined
        if (id === undefined || id === this.#ids.get(shape)) return
        for (const member of Object.keys(jsonSchema)) delete jsonSchema[member]
        jsonSchema.$ref = componentsRoot + id
      },
    })
    return schema
  }
}

function describeOperation(route: Route, path: string, shapesOf: Shapes): Json {
  const { method, summary, body } = route
  const area = areaOf(route)?.area
  const scopes = operationsOf(route).flatMap(enoughFor)
  const reach =
    route.who === 'admin' ? 'a token for the whole gateway' : 'also a token for one account'
  return {
    operationId: operationIdOf(method, path),
    summary,
    description: `Needs one of the scopes ${scopes.join(', ')}, and ${reach}.`,
    ...(area !== undefined && { tags: [area] }),
    parameters: [...pathParameters(path), ...queryParameters(route), ...headersOf(route)],
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: shapesOf.refer(body) } },
      },
    }),
    responses: { ...goodAnswers(route, shapesOf), ...refusals(route) },
  }
}

/** From the method and the words of the path. */
function operationIdOf(method: string, path: string): string {
  const words = path.replace('{id}', 'by-id').split(/\W+/).filter(Boolean)
  const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return method.toLowerCase() + pascal.join('')
}

function pathParameters(path: string): readonly Json[] {
  if (!path.includes('{id}')) return []
  return [
    {
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'string', pattern: idPattern.source },
    },
  ]
}

function queryParameters({ query, owns }: Route): readonly Json[] {
  return parametersOf(query).map(({ name, isNeeded, schema }) => ({
    name,
    in: 'query',
    // Which account is meant is checked before the parameters are.
    required: isNeeded || (owns === 'one-account' && name === 'account'),
    schema,
  }))
}

function headersOf(route: Route): readonly Json[] {
  const text = { type: 'string' }
  const isChange = route.method !== 'GET'
  const isTagged = isChange && settingsReaderOf(route) !== undefined
  const isMoney = isChange && operationsOf(route).some(({ kind }) => kind === 'moves-money')
  return [
    ...(isTagged
      ? [
          {
            name: 'If-Match',
            in: 'header',
            description: 'The tag of the resource as it was read. Another one refuses the change.',
            schema: text,
          },
        ]
      : []),
    ...(isMoney
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            description: 'Sent again with the same key, the same request is done once.',
            schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
          },
        ]
      : []),
  ]
}

function goodAnswers(route: Route, shapesOf: Shapes): Json {
  const { answer, method } = route
  if (answer === null) {
    const text = { schema: { type: 'string' } }
    const types = route.fileTypes ?? ['text/csv', 'application/x-ndjson']
    const content = Object.fromEntries(types.map((type) => [type, text]))
    return { 200: { description: 'The file.', content } }
  }
  const good = {
    description: 'Done.',
    ...(showsTagged(route) && {
      headers: { ETag: { description: 'Of the settings.', schema: { type: 'string' } } },
    }),
    content: { 'application/json': { schema: shapesOf.refer(answer) } },
  }
  return method === 'PUT' && route.path.includes('{id}')
    ? { 200: good, 201: { ...good, description: 'Made.' } }
    : { 200: good }
}

function refusals(route: Route): Json {
  const problem = { 'application/problem+json': { schema: { $ref: `${componentsRoot}Problem` } } }
  return Object.fromEntries(
    refusalStatuses(route).map(([status, description]) => [
      status,
      { description, content: problem },
    ]),
  )
}

function describeDescription(): Json {
  return {
    operationId: 'getOpenapi',
    summary: 'This description',
    security: [],
    responses: {
      200: {
        description: 'An OpenAPI 3.1 document.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    },
  }
}
