import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mintSignInLink } from '../../../../src/accounts/sign-in-link.ts'
import { putUser } from '../../../../src/accounts/user-store.ts'
import {
  csrfHeader,
  csrfValue,
  type ExplainAnswer,
  type PlaygroundOptions,
  type UsageDetail,
} from '../../../../src/console-api/contract.ts'
import { createConsole } from '../../../../src/console-api/create-console.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { createResponder, type Respond } from '../../../../src/http-in/server.ts'
import { write } from '../../../../src/store/changes/write.ts'
import { cookieOf, readJson, recordingTerms } from '../../../support/console/console-fixture.ts'
import { quietGateway } from '../../../support/console/console-gateway.ts'
import { chatBody, chatPath } from '../../../support/gateway/ask.ts'
import { startGateway, type TestGateway } from '../../../support/gateway/start-gateway.ts'
import { testVault } from '../../../support/gateway/test-database.ts'

/** The console in front of a whole gateway, in one process. */
let gateway: TestGateway
let server: Bun.Server<undefined>
let url: string
let admin: string
let stranger: string

beforeAll(async () => {
  gateway = await startGateway()
  const { engine, node, clock } = gateway
  const console = createConsole({
    engine,
    vault: testVault,
    clock,
    random: systemRandom,
    assets: { find: () => undefined },
    brand: 'gateway',
    publicUrl: undefined,
    isSecureListen: false,
    checksAnswers: true,
    openId: undefined,
    relyingParty: undefined,
    showsUpstreamsToMembers: false,
    confirmGrantsFrom: 10_000,
    recording: recordingTerms,
    gateway: {
      ...quietGateway,
      forward: (request, address) => respond(request, address),
      operatorToken: node.operatorToken,
    },
  })
  const respond: Respond = createResponder({
    gateway: node.gateway,
    console,
    clock,
    brand: 'gateway',
    trustedProxies: [],
    bodyLimits: { bodyBytesMax: 1024 ** 2, bodyMs: 60_000, bodiesInFlightBytesMax: 2 ** 28 },
    notReady: () => undefined,
    isLeaving: () => false,
    isDraining: () => false,
    renderMetrics: () => '',
    metricsAccess: { open: 'nobody', token: undefined },
    onFault: () => undefined,
  })
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, self) => respond(request, self.requestIP(request)?.address ?? ''),
  })
  url = `http://127.0.0.1:${server.port}`
  admin = await signIn('admin@x.org', 'admin')
  stranger = await signIn('stranger@x.org', 'member')
})
afterAll(async () => {
  await server.stop(true)
  await gateway.stop()
})

async function signIn(email: string, role: 'admin' | 'member'): Promise<string> {
  const { engine, clock } = gateway
  const tools = { random: systemRandom, nowMs: clock.nowMs }
  await write(engine, clock.nowMs(), (writing) =>
    putUser(writing, tools, { email, role, accounts: [], passwordHash: undefined }),
  )
  const { id: userId } = await engine.db
    .selectFrom('console_user')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  const link = { userId, vault: testVault, random: systemRandom, nowMs: clock.nowMs() }
  const token = await mintSignInLink(engine, link)
  return cookieOf(await send('POST', '/sign-in-link', '', { token }))
}

function send(method: string, path: string, cookie: string, body?: unknown): Promise<Response> {
  return fetch(`${url}/console/api${path}`, {
    method,
    headers: { 'content-type': 'application/json', [csrfHeader]: csrfValue, cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

const play = (key: string, body: object, cookie = admin) =>
  send('POST', `/playground/${key}${chatPath}`, cookie, body)

async function detailOf(response: Response): Promise<UsageDetail> {
  await gateway.node.ledger.shipped()
  const id = response.headers.get('x-gateway-request-id') ?? ''
  return readJson<UsageDetail>(send('GET', `/usage/${id}`, admin))
}

describe('the playground', () => {
  test('offers the working keys, with the models that each can call', async () => {
    const { keys } = await readJson<PlaygroundOptions>(send('GET', '/playground/options', admin))
    const modelsOf = (id: string) => keys.find((key) => key.id === id)?.models.map((m) => m.id)
    expect(modelsOf('scoped')).toEqual(['gpt-x'])
    expect(modelsOf('modelless')).toEqual([])
    expect([modelsOf('disabled'), modelsOf('expired')]).toEqual([undefined, undefined])
  })

  test('runs a request as the key, charged and logged, without the page having its value', async () => {
    const response = await play('plain', chatBody())
    const text = await response.text()
    expect([response.status, text]).toEqual([200, expect.stringContaining('"choices"')])
    expect(text + JSON.stringify([...response.headers])).not.toContain(gateway.keys.plain)
    const cost = response.headers.get('x-gateway-cost')
    const detail = await detailOf(response)
    expect(detail).toMatchObject({ keyId: 'plain', model: 'gpt-x', status: 200 })
    expect(detail.clientAddress).toBe('127.0.0.1')
    expect(Number(detail.costNano) / 1e9).toBe(Number(cost))
    expect(Number(detail.costNano)).toBeGreaterThan(0)
  })

  test('forwards a stream as it arrives', async () => {
    const response = await play('plain', chatBody({ stream: true }))
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    expect(await response.text()).toEndWith('data: [DONE]\n\n')
    expect(await detailOf(response)).toMatchObject({ isStream: true, status: 200 })
  })

  test('gets the same refusal as the key', async () => {
    const refusals = [
      ['scoped', { model: 'gpt-y' }, 403],
      ['remote', {}, 403],
      ['broke', {}, 403],
      ['disabled', {}, 401],
      ['plain', { model: 'none' }, 404],
    ] as const
    for (const [key, extra, status] of refusals) {
      expect([key, (await play(key, chatBody(extra))).status]).toEqual([key, status])
    }
  })

  test('requires access to the key and our own pages, and reaches only the gateway', async () => {
    const before = gateway.one.requests.length
    expect((await play('plain', chatBody(), stranger)).status).toBe(404)
    expect((await play('plain', chatBody(), '')).status).toBe(401)
    const foreign = await fetch(`${url}/console/api/playground/plain${chatPath}`, {
      method: 'POST',
      headers: { cookie: admin, 'content-type': 'application/json' },
      body: JSON.stringify(chatBody()),
    })
    expect(foreign.status).toBe(403)
    for (const path of [
      '/metrics',
      '/console/api/session',
      '/v1',
      '/v1/../metrics',
      '/v1/%2e%2e/metrics',
    ]) {
      const response = await send('GET', `/playground/plain${path}`, admin)
      expect([path, response.status]).toEqual([path, 404])
    }
    expect(gateway.one.requests).toHaveLength(before)
  })
})

describe('explain', () => {
  const explain = (more: object) =>
    readJson<ExplainAnswer>(
      send('POST', '/operate/explain', admin, {
        keyId: 'plain',
        protocol: 'chat-completions',
        body: JSON.stringify(chatBody()),
        ...more,
      }),
    )

  test('shows the checks, the order and the hold, and forwards nothing', async () => {
    const asked = gateway.one.requests.length
    const answer = await explain({})
    expect(answer).toMatchObject({ status: 200, refusal: null })
    expect(answer.checks.every((check) => check.isPassed)).toBe(true)
    expect(answer.candidates[0]).toMatchObject({ upstream: 'one', model: 'gpt-x' })
    const lines = answer.hold?.lines.map((line) => BigInt(line.amountNano)) ?? []
    expect(lines.reduce((sum, line) => sum + line, 0n)).toBe(BigInt(answer.hold?.amountNano ?? 0))
    expect(lines.length).toBeGreaterThan(1)
    expect(gateway.one.requests).toHaveLength(asked)
  })

  test('shows why a request would be rejected', async () => {
    const refusals = [
      [{ keyId: 'scoped', body: JSON.stringify(chatBody({ model: 'gpt-y' })) }, 403],
      [{ keyId: 'plain', body: JSON.stringify(chatBody({ model: 'none' })) }, 404],
      [{ keyId: 'plain', body: '{' }, 400],
      [{ keyId: 'disabled' }, 401],
      [{ keyId: 'local', address: '203.0.113.9' }, 403],
    ] as const
    for (const [more, status] of refusals) {
      const answer = await explain(more)
      expect([more, answer.status, answer.checks.at(-1)?.isPassed]).toEqual([more, status, false])
      expect(answer.refusal?.message.length).toBeGreaterThan(10)
    }
  })

  test('works in every protocol', async () => {
    const messages = [{ role: 'user', content: 'Good morning' }]
    const bodies = {
      responses: { model: 'gpt-x', input: 'Good morning' },
      messages: { model: 'gpt-x', max_tokens: 10, messages },
      'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Good morning' }] }] },
    }
    for (const [protocol, body] of Object.entries(bodies)) {
      const answer = await explain({ protocol, model: 'gpt-x', body: JSON.stringify(body) })
      expect([protocol, answer.status, answer.refusal]).toEqual([protocol, 200, null])
    }
  })
})
