import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import { statusBody } from '../../support/fake-upstream/status-body.ts'
import type { Reply } from '../../support/gateway/ask.ts'
import { credentials, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { allPairs, crossPairs, type Pair } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const quoting = `Incorrect API key provided: ${credentials.one}. See also sk-another-key-0123456789.`

function askPair({ from, to }: Pair, isStream: boolean): Promise<Reply> {
  const model = viaModel(to.name)
  const path = from.client.path(model, isStream)
  return gateway().ask({ key: 'any', path, body: from.client.body(model, isStream) })
}

/** The error for the client, by the upstream's status. */
interface Expected {
  readonly status: number
  readonly reason: 'upstream_rejected' | 'upstream_error'
  readonly openai: string
  readonly messages: string
  readonly google: string
  readonly isFinal?: boolean
}

const rejected = (status: number, messages: string, google: string): Expected => ({
  status,
  reason: 'upstream_rejected',
  openai: 'invalid_request_error',
  messages,
  google,
})
const failed = (status: number, messages: string, google: string): Expected => ({
  status,
  reason: 'upstream_error',
  openai: 'server_error',
  messages,
  google,
})

const expectations: Readonly<Record<number, Expected>> = {
  400: rejected(400, 'invalid_request_error', 'INVALID_ARGUMENT'),
  401: { ...failed(502, 'api_error', 'INTERNAL'), isFinal: true },
  402: { ...failed(502, 'api_error', 'INTERNAL'), isFinal: true },
  403: { ...failed(502, 'api_error', 'INTERNAL'), isFinal: true },
  404: rejected(404, 'not_found_error', 'NOT_FOUND'),
  409: rejected(409, 'invalid_request_error', 'ABORTED'),
  413: rejected(413, 'request_too_large', 'INVALID_ARGUMENT'),
  422: rejected(422, 'invalid_request_error', 'INVALID_ARGUMENT'),
  429: { ...rejected(429, 'rate_limit_error', 'RESOURCE_EXHAUSTED'), openai: 'requests' },
  500: failed(502, 'api_error', 'INTERNAL'),
  502: failed(502, 'api_error', 'INTERNAL'),
  503: failed(503, 'overloaded_error', 'UNAVAILABLE'),
  504: failed(502, 'api_error', 'INTERNAL'),
  529: failed(503, 'overloaded_error', 'UNAVAILABLE'),
}

function wordFor(name: ProtocolName, { openai, messages, google }: Expected): string {
  if (name === 'messages') return messages
  return name === 'generate-content' ? google : openai
}

function expectShape(reply: Reply, { from }: Pair, expected: Expected) {
  expect(reply.status).toBe(expected.status)
  expect(reply.headers.get('content-type')).toBe('application/json')
  const told = from.client.readFault(reply.json)
  expect(told).toMatchObject({ word: wordFor(from.name, expected), reason: expected.reason })
  if (from.name === 'messages') {
    expect(reply.json).toMatchObject({ type: 'error', request_id: reply.requestId })
  }
  if (from.name === 'generate-content') {
    expect(reply.json).toMatchObject({ error: { code: expected.status } })
  }
  expect(reply.headers.get('x-should-retry')).toBe(expected.isFinal ? 'false' : null)
  return told
}

async function expectUncharged(reply: Reply, { from, to }: Pair, { status, reason }: Expected) {
  const { money } = gateway()
  const row = { status, reason, cost_nano: 0n, protocol: from.name, upstream_id: null }
  expect(await money.usageRow(reply.requestId)).toMatchObject(row)
  expect(await money.entry(reply.requestId)).toMatchObject({ cost_nano: 0n, usage_source: 'none' })
  expect(await money.attempts(reply.requestId)).toMatchObject([
    { upstream_id: `via-${to.name}`, reason },
  ])
}

describe('the upstream’s status and message in the format of the client’s protocol', () => {
  for (const isStream of [false, true]) {
    const shape = isStream ? 'a stream' : 'a whole answer'
    test.each(allPairs)(`$pair, asked for ${shape}`, async (pair) => {
      const { one } = gateway()
      const message = 'Something about “voice” – ¿qué?'
      const settled: Promise<void>[] = []
      for (const [status, expected] of Object.entries(expectations)) {
        one.script('next', { kind: 'status', status: Number(status), message })
        const reply = await askPair(pair, isStream)
        const told = expectShape(reply, pair, expected)
        const isOurKey = ['401', '402', '403'].includes(status)
        expect(told.message).toEqual(isOurKey ? expect.stringContaining('credential') : message)
        settled.push(expectUncharged(reply, pair, expected))
      }
      await Promise.all(settled)
      expect(one.requests).toHaveLength(settled.length)
    })
  }

  test.each(allPairs)('$pair: no credential in any of them', async (pair) => {
    const { one } = gateway()
    for (const status of [400, 401, 403, 429, 500, 503]) {
      one.script('next', { kind: 'status', status, message: quoting })
      const reply = await askPair(pair, false)
      expect(reply.text).not.toContain('sk-')
    }
  })

  test.each(allPairs)('$pair: an error that is not JSON, or is empty', async (pair) => {
    const { one } = gateway()
    for (const body of ['<html>Bad Request</html>', '', '[]', 'null', '{"error":7}']) {
      one.script('next', { kind: 'reply', status: 400, body })
      const reply = await askPair(pair, true)
      const told = expectShape(reply, pair, expectations[400] ?? failed(0, '', ''))
      expect(told.message).toBeString()
      expect(told.message).not.toBe('')
    }
  })
})

describe('the codes that OpenAI’s clients depend on', () => {
  const rows: { says: string; status: number; code: string }[] = [
    {
      says: 'prompt is too long: 210000 tokens > 200000',
      status: 400,
      code: 'context_length_exceeded',
    },
    {
      says: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      status: 400,
      code: 'context_length_exceeded',
    },
    { says: 'model: no-such-model', status: 404, code: 'model_not_found' },
    { says: 'slow down', status: 429, code: 'rate_limit_exceeded' },
    { says: 'roles must alternate', status: 400, code: 'upstream_rejected' },
  ]
  const pairs = crossPairs.filter(
    ({ from, to }) =>
      ['chat-completions', 'responses'].includes(from.name) &&
      ['messages', 'generate-content'].includes(to.name),
  )
  for (const pair of pairs) {
    test.each(rows)(`${pair.pair}: $says`, async ({ says, status, code }) => {
      gateway().one.script('next', { kind: 'status', status, message: says })
      const reply = await askPair(pair, false)
      expect(pair.from.client.readFault(reply.json)).toMatchObject({ message: says, code })
    })
  }

  test('between OpenAI’s two protocols type, code and field stay the upstream’s', async () => {
    const { one } = gateway()
    const error = { message: 'No.', type: 'their_type', param: 'tools[0].name', code: 'odd' }
    for (const pair of crossPairs) {
      const isOpenai = [pair.from, pair.to].every((each) => 'code' in each.client.readFault({}))
      if (!isOpenai) continue
      one.script('next', { kind: 'reply', status: 400, body: JSON.stringify({ error }) })
      const reply = await askPair(pair, false)
      expect(reply.json).toEqual({ error: { ...error, reason: 'upstream_rejected' } })
    }
  })

  test.each(crossPairs)('$pair: no type of a foreign protocol', async (pair) => {
    const { one } = gateway()
    for (const status of [400, 404, 413, 429, 503, 529]) {
      one.script('next', { kind: 'status', status })
      const reply = await askPair(pair, false)
      const isGoogle = pair.from.name === 'generate-content'
      const isMessages = pair.from.name === 'messages'
      if (!isGoogle) expect(reply.text).not.toMatch(/"[A-Z]+_[A-Z_]+"/)
      if (!isMessages) expect(reply.text).not.toMatch(/not_found_error|rate_limit_error|overloaded/)
    }
  })
})

describe('how long to wait after a 429', () => {
  const inWords = 'Rate limit reached for their model. Please try again in 644ms.'
  const hour = new Date(Date.now() + 3_600_000)
  const rows: {
    name: string
    behaviour: (path: string) => Behaviour
    seconds: RegExp
    /** Only upstreams of this protocol report the wait like this. */
    only?: ProtocolName[]
  }[] = [
    {
      name: 'in its header',
      behaviour: () => ({ kind: 'status', status: 429, retryAfterSeconds: 17 }),
      seconds: /^17$/,
    },
    {
      name: 'in its header, to the millisecond',
      behaviour: (path) => withHeaders(path, { 'retry-after-ms': '1200', 'retry-after': '5' }),
      seconds: /^2$/,
    },
    {
      name: 'as a date',
      behaviour: (path) => withHeaders(path, { 'retry-after': hour.toUTCString() }),
      seconds: /^3[56]\d\d$/,
    },
    {
      name: 'in its message',
      behaviour: () => ({ kind: 'status', status: 429, message: inWords }),
      seconds: /^1$/,
      only: ['chat-completions', 'responses'],
    },
    {
      name: 'in Google’s details',
      behaviour: () => ({
        kind: 'reply',
        status: 429,
        body: JSON.stringify({
          error: {
            code: 429,
            message: 'Quota exceeded.',
            status: 'RESOURCE_EXHAUSTED',
            details: [
              { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
              { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074s' },
            ],
          },
        }),
      }),
      seconds: /^35$/,
      only: ['generate-content'],
    },
  ]
  for (const row of rows) {
    const pairs = allPairs.filter(({ to }) => row.only?.includes(to.name) ?? true)
    test.each(pairs)(`${row.name}: $pair`, async (pair) => {
      const { from, to } = pair
      const path = to.upstream.path(viaModel(to.name), false)
      gateway().one.script('next', row.behaviour(path))
      const reply = await askPair(pair, false)
      expectShape(reply, pair, expectations[429] ?? failed(0, '', ''))
      const seconds = reply.headers.get('retry-after') ?? ''
      expect(seconds).toMatch(row.seconds)
      if (from.name !== 'generate-content') return
      expect(reply.text).toContain(`"retryDelay":"${seconds}s"`)
    })
  }

  function withHeaders(path: string, headers: Record<string, string>): Behaviour {
    const body = JSON.stringify(statusBody(path, 429, 'Too many.'))
    return {
      kind: 'reply',
      status: 429,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    }
  }
})

describe('an upstream that refuses the gateway’s key in its own way', () => {
  test.each(allPairs.filter(({ to }) => to.name === 'generate-content'))('$pair', async (pair) => {
    const { one } = gateway()
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
    ]
    const error = { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details }
    one.script('next', { kind: 'reply', status: 400, body: JSON.stringify({ error }) })
    const reply = await askPair(pair, false)
    const expected = expectations[401] ?? failed(0, '', '')
    const told = expectShape(reply, pair, expected)
    expect(told.message).toContain('credential')
    expect(reply.text).not.toContain('API key not valid')
    await expectUncharged(reply, pair, expected)
  })
})
