import { z } from 'zod'
import { type AdminArea, adminAreas } from '../../core/access/admin-scope.ts'
import { turns } from '../../core/runtime/turns.ts'
import * as account from '../contract/account.ts'
import * as audit from '../contract/audit.ts'
import * as billing from '../contract/billing.ts'
import * as catalog from '../contract/catalog.ts'
import * as keys from '../contract/keys.ts'
import { managedBodies } from '../contract/managed-bodies.ts'
import * as models from '../contract/models.ts'
import * as overview from '../contract/overview.ts'
import * as people from '../contract/people.ts'
import * as recordings from '../contract/recordings.ts'
import * as shapes from '../contract/shapes.ts'
import * as system from '../contract/system.ts'
import * as upstreams from '../contract/upstreams.ts'
import * as usage from '../contract/usage.ts'
import { adminRoot } from '../root-paths.ts'
import { adminRoutes, descriptionPath } from './admin-routes.ts'
import { describeOperation, describeRefusal, type OpenApiObject } from './describe-operation.ts'
import { allRefusals, problemSchema } from './problem.ts'
import { areaOf } from './route-areas.ts'

const componentsRoot = '#/components/schemas/'

/** Schemas of the contract by export name. */
const named: Readonly<Record<string, unknown>> = {
  ...account,
  ...audit,
  ...billing,
  ...catalog,
  ...keys,
  ...models,
  ...overview,
  ...people,
  ...recordings,
  ...shapes,
  ...system,
  ...upstreams,
  ...usage,
  ...managedBodies,
  problem: problemSchema,
}

const aboutAreas: Readonly<Record<AdminArea, string>> = {
  keys: 'API keys that clients use to call models.',
  catalogue: 'Upstreams and credentials, models and prices, groups, and routes.',
  accounts: 'Accounts, their members, and the people who sign in.',
  money: 'Credits and statements.',
  usage: 'The request log and its totals.',
  recordings: 'Recorded bodies of requests and responses.',
  system: 'The gateway itself and the audit log.',
  personal: 'Settings of the signed-in user.',
}

let described: Promise<OpenApiObject> | undefined

/** OpenAPI 3.1 description of the admin API, generated from the operations. */
export function describeApi(brand: string): Promise<OpenApiObject> {
  described ??= build(brand)
  return described
}

/** Takes about 70 ms, so it is divided over several turns of the event loop. */
async function build(brand: string): Promise<OpenApiObject> {
  const shapesOf = new Shapes()
  const paths: Record<string, Record<string, OpenApiObject>> = {
    [descriptionPath]: { get: describeDescription() },
  }
  for (const { route, path } of adminRoutes) {
    await turns.next()
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describeOperation(route, path, (shape) =>
        shapesOf.refer(shape),
      ),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${brand} admin API`,
      version: '1',
      description:
        'The operations of the console, for operators and account owners. Amounts are integers of nano-US-dollars, written as decimal strings. Times are milliseconds since 1970. Lists are paginated: pass `next` of a page as `after` or `before` to get the following page; `next` is null on the last page. Resources have an ETag. Send the ETag as If-Match with a change, and the change is rejected if the resource has changed in the meantime. Errors are problem details (RFC 9457).',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: adminRoot, description: 'This gateway.' }],
    tags: adminAreas
      .filter((area) => adminRoutes.some(({ route }) => areaOf(route)?.area === area))
      .map((area) => ({ name: area, description: aboutAreas[area] })),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An admin API token, such as tgat_…',
        },
      },
      responses: Object.fromEntries(
        allRefusals.map((refusal) => [
          refusal.name,
          describeRefusal(refusal, shapesOf.refer(problemSchema)),
        ]),
      ),
      schemas: await shapesOf.schemas(),
    },
  }
}

/** Shared schemas, each once. */
class Shapes {
  readonly #ids = new Map<z.ZodType, string>()

  constructor() {
    for (const [name, shape] of Object.entries(named)) {
      if (!(shape instanceof z.ZodType) || this.#ids.has(shape)) continue
      const id = name.charAt(0).toUpperCase() + name.slice(1)
      this.#ids.set(shape, id)
    }
  }

  async schemas(): Promise<OpenApiObject> {
    const schemas: Record<string, OpenApiObject> = {}
    for (const [shape, id] of this.#ids) {
      await turns.next()
      schemas[id] = this.#convert(shape)
    }
    return schemas
  }

  refer(shape: z.ZodType): OpenApiObject {
    const id = this.#ids.get(shape)
    return id === undefined ? this.#convert(shape) : { $ref: componentsRoot + id }
  }

  /** Named parts become references. */
  #convert(shape: z.ZodType): OpenApiObject {
    const { $schema: _, ...schema } = z.toJSONSchema(shape, {
      io: 'input',
      override: ({ zodSchema, jsonSchema }) => {
        // On a property, `readOnly` would mean that clients must not send it.
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

function describeDescription(): OpenApiObject {
  return {
    operationId: 'getOpenapi',
    summary: 'Get this document',
    description: 'Requires no token. The document is the same for every caller.',
    tags: ['system'],
    security: [],
    responses: {
      200: {
        description: 'An OpenAPI 3.1 document.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    },
  }
}
