import { afterAll, describe, expect, test } from 'bun:test'
import type { CatalogSnapshot, Upstream } from '../../../src/catalog/catalog-snapshot.ts'
import { timeoutsByDefault } from '../../../src/core/upstreams/upstream-timeouts.ts'
import { createDemoUpstream } from '../../../src/demo/upstream/demo-upstream.ts'
import { listUpstreamModels } from '../../../src/gateway/operator/list-upstream-models.ts'
import { testUpstream } from '../../../src/gateway/operator/test-upstream.ts'
import { sendHttp } from '../../../src/http-out/outgoing-http.ts'

const credential = 'sk-shown-to-nobody-0123456789'
const seen: { path: string; body: string; headers: Headers }[] = []
const demo = createDemoUpstream({ wordDelayMs: 0 })
let answer: ((request: Request) => Response | Promise<Response>) | undefined
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const body = await request.clone().text()
    seen.push({ path: new URL(request.url).pathname, body, headers: request.headers })
    return answer ? answer(request) : demo(request)
  },
})
afterAll(() => server.stop(true))
const origin = `http://127.0.0.1:${server.port}`

const clock = { nowMs: () => 1_000, monotonicMs: () => 5 }

function catalogOf(own: Partial<Upstream>): CatalogSnapshot {
  const upstream: Upstream = {
    id: 'u',
    vendor: 'openai',
    protocol: 'any',
    baseUrl: `${origin}/v1`,
    credentials: [{ id: 'c', name: 'first', value: credential, hint: 'sk-…6789' }],
    needsCredential: false,
    timeouts: timeoutsByDefault,
    concurrencyMax: undefined,
    connection: { proxy: undefined, ca: undefined, allowsPrivate: false },
    probe: undefined,
    isEnabled: true,
    ...own,
  }
  const price = {
    inputNano: 1_000_000_000n,
    cacheReadNano: 0n,
    cacheWrite5mNano: 0n,
    cacheWrite1hNano: 0n,
    outputNano: 1_000_000_000n,
    requestNano: 0n,
    versionId: 'p',
    validFromMs: 0,
  }
  const route = {
    groupId: 'dear',
    modelId: 'm',
    upstream,
    upstreamModel: 'demo-small',
    priority: 0,
    weight: 1,
    parameters: { headers: { 'x-team': 'red' }, default: { user: 'tester' } },
  }
  return {
    groups: new Map([
      [
        'dear',
        {
          id: 'dear',
          factorMicro: 2_000_000n,
          isStrict: false,
          grants: new Map(),
          fallbacks: new Map(),
        },
      ],
    ]),
    models: new Map([
      [
        'm',
        {
          id: 'm',
          displayName: 'm',
          ownedBy: 'me',
          contextTokens: undefined,
          maxOutputTokens: 100,
          createdAtMs: 0,
          prices: [price],
        },
      ],
    ]),
    upstreams: new Map([['u', upstream]]),
    routes: new Map([['dear', new Map([['m', [route]]])]]),
  }
}

function run(own: Partial<Upstream>, options: { upstreamModel?: string; protocol?: string } = {}) {
  const { upstreamModel, protocol } = options
  return testUpstream(catalogOf(own), 'u', { upstreamModel, protocol }, { send: sendHttp, clock })
}

describe('the test of an upstream', () => {
  const rows: [string, Partial<Upstream>, { protocol?: string }, string[]][] = [
    ['uses each protocol of the vendor', {}, {}, ['responses', 'chat-completions']],
    ['uses the configured protocol', { protocol: 'chat-completions' }, {}, ['chat-completions']],
    ['uses the requested protocol', {}, { protocol: 'chat-completions' }, ['chat-completions']],
    ['does not use a protocol that the vendor does not speak', {}, { protocol: 'messages' }, []],
    ['messages', { vendor: 'anthropic', baseUrl: origin }, {}, ['messages']],
    ['generate-content', { vendor: 'google', baseUrl: origin }, {}, ['generate-content']],
  ]
  test.each(rows)('%s', async (_, own, options, protocols) => {
    seen.length = 0
    const tests = await run(own, options)
    expect(tests.map(({ protocol }) => protocol)).toEqual(protocols as never[])
    expect(seen).toHaveLength(protocols.length)
    for (const each of tests) {
      expect(each).toMatchObject({ status: 200, problem: undefined, model: 'demo-small' })
      expect(each.text).not.toBe('')
      const tokens = (each.inputTokens ?? 0) + (each.outputTokens ?? 0)
      // A dollar a million is a micro-dollar a token, and the group doubles it.
      expect(each.costNano).toBe(BigInt(tokens) * 2_000n)
    }
    for (const { headers, body } of seen) {
      expect(headers.get('x-team')).toBe('red')
      expect(body).toContain('"user":"tester"')
    }
  })

  test('each credential separately, in order, whatever the results of the others', async () => {
    seen.length = 0
    const names = Array.from({ length: 20 }, (_, index) => `sk-number-${index}-0123456789`)
    const dead = names[3]
    answer = (request) => {
      const isDead = request.headers.get('authorization') === `Bearer ${dead}`
      return isDead ? Response.json({ error: { message: 'gone' } }, { status: 401 }) : demo(request)
    }
    const tests = await run({
      protocol: 'chat-completions',
      credentials: names.map((value, index) => ({
        id: value,
        name: `number ${index}`,
        value,
        hint: index === 1 ? '' : `…${index}`,
      })),
    })
    answer = undefined
    expect(tests.map(({ credential: shown }) => shown)).toEqual(
      names.map((_, index) => (index === 1 ? 'number 1' : `…${index}`)),
    )
    expect(tests.map(({ status }) => status)).toEqual(
      names.map((name) => (name === dead ? 401 : 200)),
    )
    expect(tests[3]?.problem).toEqual({
      code: 'credential_rejected',
      text: 'gone',
      words: 'gone',
    })
    expect(new Set(seen.map(({ headers }) => headers.get('authorization'))).size).toBe(20)
    expect(Bun.inspect(tests)).not.toContain('sk-number')
  })

  test('a model without a route has no price', async () => {
    const [only] = await run({ protocol: 'chat-completions' }, { upstreamModel: 'another' })
    expect(only).toMatchObject({ status: 200, model: 'another', costNano: undefined })
  })

  test('an upstream with a credential for another host gets no request', async () => {
    seen.length = 0
    const tests = await run({ credentials: [], needsCredential: true })
    expect(tests.every(({ status }) => status === undefined)).toBe(true)
    expect(tests[0]?.problem?.code).toBe('needs_credential')
    expect(tests[0]?.problem?.text).toContain('enter them again')
    expect(seen).toEqual([])
  })

  const sentence = 'The upstream answered with status 503.'
  const refusals: [string, () => Response, number | undefined, string, string][] = [
    [
      'an error message, without the credential that it repeats',
      () => Response.json({ error: { message: `bad key ${credential}` } }, { status: 401 }),
      401,
      'credential_rejected',
      'bad key [credential]',
    ],
    ['a response that is not JSON', () => new Response('<html>'), 200, 'unreadable', ''],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/'), 302, 'refused_silently', ''],
    [
      'an error without a message',
      () => new Response('', { status: 503 }),
      503,
      'refused_silently',
      '',
    ],
    [
      'an error message equal to the gateway’s own text for a missing one',
      () => Response.json({ error: { message: sentence } }, { status: 503 }),
      503,
      'refused',
      sentence,
    ],
  ]
  test.each(refusals)('%s', async (_, respond, status, code, text) => {
    answer = respond
    const tests = await run({ protocol: 'any' })
    answer = undefined
    expect<unknown>(tests.map((each) => each.problem?.code)).toEqual(tests.map(() => code))
    const [only] = tests
    expect(only?.status).toBe(status)
    expect(only?.problem?.text).toContain(text)
    expect(only?.problem?.text).not.toBe('')
    expect(JSON.stringify(only?.problem)).not.toContain(credential)
  })

  test('no server is listening', async () => {
    const [only] = await run({ protocol: 'chat-completions', baseUrl: 'http://127.0.0.1:1' })
    expect(only).toMatchObject({ status: undefined, text: undefined })
    expect(only?.problem?.code).toBe('connect_failed')
    expect(only?.problem?.text).toContain('cannot be reached')
    expect(only?.problem?.words).not.toBe('')
  })
})

describe('an upstream that does not list its models', () => {
  type Unlisted = [
    name: string,
    status: number,
    text: string,
    problem: [string, string] | undefined,
  ]
  const answers: Unlisted[] = [
    ['a 404', 404, 'no', undefined],
    ['a response that is not JSON', 200, '<html>', undefined],
    ['JSON of another shape', 200, '{"hello":1}', undefined],
    ['a rejected credential', 401, '', ['credential_rejected', 'HTTP 401']],
    [
      'a rejected credential with a message',
      401,
      `{"error":{"message":"no ${credential}"}}`,
      ['credential_rejected', 'no [credential]'],
    ],
    ['a 403 without a message', 403, '', ['refused_silently', 'HTTP 403']],
    ['a 403 with a message', 403, '{"error":{"message":"region"}}', ['refused', 'region']],
  ]
  test.each(answers)('%s', async (_, status, text, problem) => {
    const fetch = () => new Response(text, { status })
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
    const upstream = catalogOf({ baseUrl: `http://127.0.0.1:${server.port}/v1` }).upstreams.get('u')
    if (!upstream) throw new Error('the upstream is missing')
    const told = await listUpstreamModels(upstream, sendHttp)
    await server.stop(true)
    const found = told.problem && [told.problem.code, told.problem.words]
    expect<unknown>([told.models, found]).toEqual([undefined, problem])
  })
})

describe('an upstream that lists its models', () => {
  const flavours: [string, Partial<Upstream>][] = [
    ['openai', {}],
    ['anthropic', { vendor: 'anthropic', baseUrl: origin }],
    ['google', { vendor: 'google', baseUrl: origin }],
  ]
  test.each(flavours)('%s', async (_, own) => {
    const upstream = catalogOf(own).upstreams.get('u')
    if (!upstream) throw new Error('the upstream is missing')
    expect(await listUpstreamModels(upstream, sendHttp)).toEqual({
      models: ['tollgate-demo'],
      problem: undefined,
    })
    const gone = await listUpstreamModels({ ...upstream, baseUrl: 'http://127.0.0.1:1' }, sendHttp)
    expect(gone.models).toBeUndefined()
    expect(gone.problem?.code).toBe('connect_failed')
    expect(gone.problem?.words).not.toBe('')
    seen.length = 0
    const moved = await listUpstreamModels({ ...upstream, needsCredential: true }, sendHttp)
    expect([moved.models, moved.problem?.code]).toEqual([undefined, 'needs_credential'])
    expect(seen).toEqual([])
  })
})
