import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { adminRoutes } from '../../../src/console-api/admin/admin-routes.ts'
import { describeApi } from '../../../src/console-api/admin/describe-api.ts'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import { patience } from '../../support/patience.ts'
import { repeats } from '../../support/repeats.ts'
import { arbitraryOf, type JsonSchema } from '../../unit/fields/arbitrary-of.ts'
import {
  type DescribedOperation,
  type DescribedParameter,
  readDescription,
} from './described-api.ts'

/*
 * Valid and invalid calls of every operation, generated only from the API description. Responses must match the
 * description, valid input is never called invalid, and invalid input is never executed. `npm run admin-fuzz` does the
 * same with Schemathesis, at length.
 */

const api = readDescription(JSON.parse(JSON.stringify(await describeApi('gateway'))))
const seed = Number(process.env['TEST_SEED'] ?? 1)
const samples = repeats(5)
/** Ids of existing resources, so that calls have an effect. */
const known = ['key_a1', 'acme', 'u_ann', 'one', 'gpt-x', 'default', 'openai', 'a/b', 'cred_1']

let fixture: ConsoleFixture
let token: string
beforeAll(async () => {
  fixture = await openConsoleFixture()
  token = await fixture.makeToken(['all'])
})
afterAll(() => fixture.close())

interface Sent {
  readonly id: string
  readonly query: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

interface Told {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends the call, and compares the response with the description. */
async function call(operation: DescribedOperation, sent: Sent, method = operation.method) {
  const query = new URLSearchParams(
    sent.query.map(([name, value]): [string, string] => [name, value]),
  )
  const path = operation.path.replace('{id}', encodeURIComponent(sent.id))
  const url = query.size === 0 ? path : `${path}?${query.toString()}`
  const headers = { authorization: `Bearer ${token}`, ...sent.headers }
  const response = await fixture.admin(undefined, method, url, { headers, body: sent.body })
  const told: Told = {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }
  if (method === operation.method)
    checkTold(operation, `${method} ${url} ${JSON.stringify(sent.body)}`, told)
  return { ...told, url }
}

function checkTold(operation: DescribedOperation, what: string, told: Told): void {
  const { status, headers, text } = told
  const response = operation.responseOf(status)
  if (status >= 500 || !response) throw new Error(`${what} is answered with ${status}: ${text}`)
  const type = (headers.get('content-type') ?? '').split(';')[0] ?? ''
  const content = response.content?.[type]
  if (!content) throw new Error(`${what}: ${status} with ${type} is not described`)
  if (headers.has('etag') && response.headers?.['ETag'] === undefined) {
    throw new Error(`${what}: the tag is not described`)
  }
  if (!/^application\/(?:problem\+)?json$/.test(type)) return
  const problem = api.check(content.schema, JSON.parse(text))
  if (problem !== undefined)
    throw new Error(`${what}: ${status} is not as described: ${problem}: ${text}`)
}

function draw<Value>(arbitrary: fc.Arbitrary<Value>, numRuns: number, salt: number): Value[] {
  return fc.sample(arbitrary, { seed: seed * 1_000 + salt, numRuns })
}

/** Optional parameters are present half of the time. */
function parametersOf(operation: DescribedOperation, place: DescribedParameter['in']) {
  const taken = operation.parameters.filter((each) => each.in === place)
  return fc
    .tuple(
      ...taken.map(({ name, required, schema }) =>
        fc.tuple(
          fc.constant(name),
          required === true ? fc.constant(true) : fc.boolean(),
          arbitraryOf(api.whole(schema)).map(String),
        ),
      ),
    )
    .map((all) =>
      all.filter(([, isThere]) => isThere).map(([name, , value]) => [name, value] as const),
    )
}

function goodCalls(operation: DescribedOperation): fc.Arbitrary<Sent> {
  const id = operation.parameters.find(({ in: place }) => place === 'path')
  return fc.record({
    id: fc.oneof(
      fc.constantFrom(...known),
      id ? (arbitraryOf(id.schema) as fc.Arbitrary<string>) : fc.constant('x'),
    ),
    query: parametersOf(operation, 'query'),
    headers: parametersOf(operation, 'header').map((all) => Object.fromEntries(all)),
    body: operation.body ? arbitraryOf(api.whole(operation.body)) : fc.constant(undefined),
  })
}

describe('input that matches the description', () => {
  test.each(api.operations)(
    '$name never calls it invalid',
    async (operation) => {
      for (const sent of draw(goodCalls(operation), samples, 1)) {
        // Rules that a schema cannot express are described as text; input that breaks only such a rule is not called
        // invalid either.
        if (operation.body && api.check(operation.body, sent.body) !== undefined) continue
        const { status, text } = await call(operation, sent)
        expect([status === 400 || status === 401 || status === 403, text, sent]).toEqual([
          false,
          text,
          sent,
        ])
      }
    },
    patience(30_000),
  )
})

/** The body with each member in turn replaced by an invalid value. */
function* spoiled(schema: JsonSchema, good: Record<string, unknown>): Generator<unknown> {
  const { properties = {}, required = [] } = schema
  for (const name of required) {
    const { [name]: _, ...rest } = good
    yield rest
  }
  yield { ...good, 'no such member': 1 }
  for (const name of Object.keys(properties)) {
    for (const value of [{ a: [] }, [[1]], -1, 1.5, '', '\0', 'x'.repeat(5_000), true, 'é\n']) {
      yield { ...good, [name]: value }
    }
  }
}

describe('input that does not match the description', () => {
  const withBody = api.operations.filter(({ body }) => body !== undefined)
  test.each(withBody)(
    '$name: an invalid body is never accepted',
    async (operation) => {
      const schema = operation.body ?? {}
      const [sent] = draw(goodCalls(operation), 1, 2)
      if (!sent) throw new Error('nothing was drawn')
      const plain = { ...sent, headers: {} }
      for (const body of spoiled(api.whole(schema), sent.body as Record<string, unknown>)) {
        if (api.check(schema, body) === undefined) continue
        const { status, text } = await call(operation, { ...plain, body })
        expect([status >= 400, JSON.stringify(body).slice(0, 200), text]).toEqual([
          true,
          JSON.stringify(body).slice(0, 200),
          text,
        ])
      }
      for (const body of ['', '[]', '{', 'null', '"x"', '{"a":1']) {
        const { status } = await call(operation, { ...plain, body })
        expect([body, status >= 400]).toEqual([body, true])
      }
      const type = { 'content-type': 'text/plain' }
      const { status } = await call(operation, { ...plain, headers: type })
      expect([400, 404]).toContain(status)
    },
    patience(60_000),
  )

  test.each(api.operations.filter(({ isOpen }) => !isOpen))(
    '$name: an invalid parameter is never accepted',
    async (operation) => {
      const [sent] = draw(goodCalls(operation), 1, 3)
      if (!sent) throw new Error('nothing was drawn')
      const plain = { ...sent, headers: {} }
      const wrong: (readonly [string, string])[][] = [[...sent.query, ['no-such-parameter', '1']]]
      for (const { name, schema, in: place } of operation.parameters) {
        if (place !== 'query') continue
        for (const value of [
          '',
          '\0',
          'x'.repeat(3_000),
          '-1',
          '1.5',
          '99999999999999999',
          '2026-13-45',
        ]) {
          const read = schema.type === 'integer' ? Number(value || Number.NaN) : value
          if (api.check(schema, read) === undefined) continue
          wrong.push([...sent.query.filter(([each]) => each !== name), [name, value]])
        }
        const once = sent.query.find(([each]) => each === name)
        if (once) wrong.push([...sent.query, once])
      }
      for (const query of wrong) {
        const { status, url } = await call(operation, { ...plain, query })
        expect([url, status === 400 || status === 404]).toEqual([url, true])
      }
    },
    patience(30_000),
  )

  test.each(api.operations)('$name: rejected without a token', async (operation) => {
    const [sent] = draw(goodCalls(operation), 1, 4)
    if (!sent) throw new Error('nothing was drawn')
    for (const authorization of [
      '',
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token}, Bearer ${token}`,
    ]) {
      const { status } = await call(operation, { ...sent, headers: { authorization } })
      expect(status).toBe(operation.isOpen ? 200 : 401)
    }
  })

  const paths = [...new Set(api.operations.map(({ path }) => path))]
  test.each(paths)('%s accepts the described methods, and lists them in Allow', async (path) => {
    const here = api.operations.filter((operation) => operation.path === path)
    // A HEAD is like a GET, and not described.
    const taken = here
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .toSorted()
    const [operation] = here
    if (!operation) throw new Error('the path has no operation')
    const [sent] = draw(goodCalls(operation), 1, 5)
    if (!sent) throw new Error('nothing was drawn')
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (taken.includes(method)) continue
      const told = await call(operation, { ...sent, id: 'acme', body: undefined }, method)
      expect([method, told.status, told.headers.get('allow')?.split(', ').toSorted()]).toEqual([
        method,
        405,
        taken,
      ])
      expect(told.headers.get('content-type')).toBe('application/problem+json')
    }
  })
})

describe('the description', () => {
  const throttled = ['POST /alerts/{id}/test', 'POST /upstreams/{id}/test']
  test.each(throttled)('%s: too many calls are refused as described', async (name) => {
    const operation = api.operations.find((each) => each.name === name)
    if (!operation) throw new Error(`there is no ${name}`)
    const alert = { name: 'a', channel: 'email', emails: ['a@b'], kinds: ['credit_low'] }
    await fixture.admin(token, 'PUT', '/alerts/throttled', { body: alert })
    const id = name.includes('alerts') ? 'throttled' : 'one'
    const body = name.includes('alerts') ? undefined : { model: 'x' }
    let last = 0
    for (let n = 0; n < 40 && last !== 429; n += 1) {
      const told = await call(operation, { id, query: [], headers: {}, body })
      last = told.status
      if (last === 429) expect(told.headers.get('retry-after')).toMatch(/^\d+$/)
    }
    expect(last).toBe(429)
  })

  test('has every route, each with a summary, parameters and responses', () => {
    expect(api.operations).toHaveLength(adminRoutes.length + 1)
    const ids = new Set<string>()
    for (const operation of api.operations) {
      const { name, summary, tags, scopes, isOpen, parameters } = operation
      expect([name, typeof summary, tags.length, scopes.length > 0 || isOpen]).toEqual([
        name,
        'string',
        1,
        true,
      ])
      for (const each of parameters) {
        expect([name, each.name, typeof each.description]).toEqual([name, each.name, 'string'])
      }
      ids.add(name)
    }
    expect(ids.size).toBe(api.operations.length)
  })

  test('has only examples that are accepted', () => {
    const examples = adminRoutes.filter(({ route }) => route.example !== undefined)
    expect(examples.length).toBeGreaterThan(0)
    for (const { route } of examples) {
      expect([route.path, route.body?.safeParse(route.example).error]).toEqual([
        route.path,
        undefined,
      ])
    }
  })

  test('has no read-only members in a body, and has a reasonable size', async () => {
    const text = JSON.stringify(await describeApi('gateway'))
    expect(text).not.toContain('"readOnly"')
    expect(text.length).toBeLessThan(460_000)
  })
})
