import { afterAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import { chatBody, expectNoSecret } from '../../support/gateway/ask.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { plainAttributes, startOtlpReceiver } from '../../support/otlp-receiver.ts'

const receiver = startOtlpReceiver()
const collectorKey = 'the-key-of-the-collector'
const gateway = withGateway({
  telemetry: {
    otlpEndpoint: receiver.url,
    otlpHeaders: { 'x-collector-key': collectorKey },
    traceUpstreams: ['one'],
  },
})
const unsampled = withGateway({ telemetry: { otlpEndpoint: receiver.url, traceSampleRate: 0 } })
const suspicious = withGateway({
  telemetry: { otlpEndpoint: receiver.url, traceParents: 'ignore', otlpSignals: ['traces'] },
})
const passing = withGateway({ telemetry: { traceUpstreams: ['*'] } })
afterAll(() => receiver.stop())

const prompt = 'a-very-private-prompt'
const messages = [{ role: 'user', content: prompt }]
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const sampled = `00-${traceId}-${parentId}-01`

/** The spans of one request, after all of them have arrived. */
async function spansOf(requestId: string, count: number) {
  const [server] = await eventually('the span of the request', () => {
    const found = receiver.spans.filter(
      ({ attributes }) => plainAttributes(attributes)['tollgate.request_id'] === requestId,
    )
    return found.length > 0 && found
  })
  const all = await eventually('the spans of its attempts', () => {
    const found = receiver.spans.filter(({ traceId: id }) => id === server?.traceId)
    return found.length >= count && found
  })
  expect(all).toHaveLength(count)
  return { server, clients: all.filter(({ kind }) => kind === 3) }
}

describe('traces', () => {
  test('one span for the request and one for each attempt, with the conventions for models', async () => {
    const { ask, one, two } = gateway()
    one.script('next', { kind: 'status', status: 500, message: 'it broke' })
    const { requestId, status } = await ask({ key: 'plain', body: chatBody({ messages }) })
    expect(status).toBe(200)
    const { server, clients } = await spansOf(requestId, 3)
    expect(server).toMatchObject({ name: 'chat gpt-x', kind: 2, status: {} })
    expect(server?.parentSpanId).toBeUndefined()
    const attributes = plainAttributes(server?.attributes ?? [])
    expect(attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-x',
      'gen_ai.provider.name': expect.any(String),
      'gen_ai.response.model': expect.any(String),
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'url.path': '/v1/chat/completions',
      'tollgate.upstream': 'two',
    })
    expect(attributes).not.toHaveProperty('error.type')
    const [failed, answered] = clients
    expect(failed).toMatchObject({ parentSpanId: server?.spanId, status: { code: 2 } })
    expect(plainAttributes(failed?.attributes ?? [])).toMatchObject({
      'tollgate.upstream': 'one',
      'http.response.status_code': 500,
      'error.type': 'upstream_error',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(one.url).port),
    })
    expect(answered).toMatchObject({ parentSpanId: server?.spanId, status: {} })
    for (const each of clients) {
      expect(BigInt(each.startTimeUnixNano)).toBeGreaterThanOrEqual(
        BigInt(server?.startTimeUnixNano ?? 0),
      )
      expect(BigInt(each.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(each.startTimeUnixNano))
      // A sum over all spans must count the usage once.
      expect(plainAttributes(each.attributes)).not.toHaveProperty('gen_ai.usage.output_tokens')
    }
    // Only the upstream that may know the trace gets it.
    expect(one.requests[0]?.headers['traceparent']).toBe(
      `00-${server?.traceId}-${failed?.spanId}-01`,
    )
    expect(two.requests[0]?.headers['traceparent']).toBeUndefined()
  })

  test('a stream has its spans at its end; a refused request has one, without the text of the client', async () => {
    const { ask } = gateway()
    const body = chatBody({ messages, model: 'gpt-y', stream: true })
    const streamed = await ask({ key: 'plain', body })
    const { server } = await spansOf(streamed.requestId, 2)
    expect(plainAttributes(server?.attributes ?? [])).toMatchObject({
      'tollgate.stream': true,
      'tollgate.first_token_seconds': expect.any(Number),
    })
    const refused = await ask({ key: 'plain', body: chatBody({ model: 'made-up-by-a-client' }) })
    const { server: only } = await spansOf(refused.requestId, 1)
    expect(only).toMatchObject({ name: 'chat', status: {} })
    expect(plainAttributes(only?.attributes ?? [])).toMatchObject({
      'http.response.status_code': 404,
      'error.type': 'model_not_found',
    })
    expect(JSON.stringify(only)).not.toContain('made-up-by-a-client')
  })

  test('continue the trace of the client, with its state', async () => {
    const { ask, one } = gateway()
    const headers = { traceparent: sampled, tracestate: 'vendor=value,other=1' }
    const { requestId } = await ask({ key: 'plain', headers, body: chatBody({ model: 'gpt-y' }) })
    const { server, clients } = await spansOf(requestId, 2)
    expect(server).toMatchObject({
      traceId,
      parentSpanId: parentId,
      traceState: headers.tracestate,
    })
    expect(one.requests[0]?.headers['traceparent']).toBe(`00-${traceId}-${clients[0]?.spanId}-01`)
    expect(one.requests[0]?.headers['tracestate']).toBe(headers.tracestate)
  })

  test.each([
    [
      'a client that does not sample',
      gateway,
      { traceparent: `00-${traceId}-${parentId}-00` },
      false,
    ],
    ['no parent, rate 0', unsampled, {}, false],
    ['a client that samples, rate 0', unsampled, { traceparent: sampled }, true],
    ['an invalid parent, rate 0', unsampled, { traceparent: `00-${'0'.repeat(32)}-x-01` }, false],
    ['a client that is not trusted to decide', suspicious, { traceparent: sampled }, true],
  ] as const)('sampling: %s', async (_, of, headers, isTraced) => {
    const { ask } = of()
    const { requestId } = await ask({ key: 'plain', headers, body: chatBody({ model: 'gpt-y' }) })
    // Spans arrive in order, so a later one shows that there was none.
    const later = await gateway().ask({ key: 'plain', body: chatBody({ model: 'gpt-y' }) })
    await spansOf(later.requestId, 2)
    if (!isTraced) expect(JSON.stringify(receiver.spans)).not.toContain(requestId)
    else {
      const own = of === suspicious ? undefined : traceId
      const found = await eventually('the span', () =>
        receiver.spans.find(({ attributes }) => JSON.stringify(attributes).includes(requestId)),
      )
      if (own === undefined) {
        expect(found.traceId).not.toBe(traceId)
        expect(found.parentSpanId).toBeUndefined()
      } else expect(found.traceId).toBe(own)
    }
  })

  test('without a collector the headers of the client are passed on unchanged', async () => {
    const { ask, one } = passing()
    const body = chatBody({ model: 'gpt-y' })
    await ask({ key: 'plain', headers: { traceparent: sampled, tracestate: 'a=b' }, body })
    await ask({ key: 'plain', body })
    expect(one.requests.map(({ headers }) => headers['traceparent'])).toEqual([sampled, undefined])
    expect(one.requests[0]?.headers['tracestate']).toBe('a=b')
  })
})

describe('metrics and logs', () => {
  test('the collector gets the metrics of /metrics', async () => {
    const { ask } = gateway()
    await ask({ key: 'plain', body: chatBody({ model: 'gpt-y' }) })
    const found = await eventually('a reading', () =>
      receiver.metrics.find(
        (each) => each.name === 'tollgate_requests_total' && JSON.stringify(each).includes('200'),
      ),
    )
    expect(found).toHaveProperty('sum')
    for (const kind of ['sum', 'gauge', 'histogram'])
      expect(receiver.metrics.some((each) => kind in each)).toBe(true)
  })

  test('the collector gets the metrics of the conventions for models', async () => {
    const { ask, one, two } = gateway()
    await ask({ key: 'plain', body: chatBody({ messages }) })
    for (const each of [one, two])
      each.script('next', { kind: 'status', status: 400, message: 'no' })
    await ask({ key: 'plain', body: chatBody({ messages }) })
    await ask({ key: 'plain', body: chatBody({ model: 'made-up-by-a-client' }) })
    const pointsOf = (name: string) =>
      receiver.metrics
        .flatMap((each) =>
          each.name === name && 'histogram' in each ? each.histogram.dataPoints : [],
        )
        .map(({ attributes, ...point }) => ({ ...point, ...plainAttributes(attributes) }))
    await eventually('the error', () =>
      pointsOf('gen_ai.client.operation.duration').some((each) => 'error.type' in each),
    )
    const about = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'tollgate',
      'gen_ai.request.model': 'gpt-x',
    }
    const durations = pointsOf('gen_ai.client.operation.duration')
    expect(durations).toContainEqual(
      expect.objectContaining({ ...about, 'error.type': 'upstream_rejected' }),
    )
    expect(durations.some((each) => !('error.type' in each))).toBe(true)
    expect(JSON.stringify(durations)).not.toContain('made-up-by-a-client')
    for (const type of ['input', 'output']) {
      expect(pointsOf('gen_ai.client.token.usage')).toContainEqual(
        expect.objectContaining({ ...about, 'gen_ai.token.type': type }),
      )
    }
    expect(pointsOf('gen_ai.server.time_to_first_token').length).toBeGreaterThan(0)
    const units = receiver.metrics.flatMap(({ name, unit }) =>
      name.startsWith('gen_ai.') ? [[name, unit]] : [],
    )
    expect(Object.fromEntries(units)).toEqual({
      'gen_ai.client.token.usage': '{token}',
      'gen_ai.client.operation.duration': 's',
      'gen_ai.server.time_to_first_token': 's',
    })
    // Prometheus has its own names.
    expect((await ask({ path: '/metrics' })).text).not.toContain('gen_ai')
  })

  test('the log line of a request names its trace', async () => {
    const { ask } = gateway()
    const { requestId } = await ask({ key: 'plain', body: chatBody({ model: 'gpt-y' }) })
    const { server } = await spansOf(requestId, 2)
    const line = await eventually('the line', () =>
      receiver.logs.find(
        ({ eventName, attributes }) =>
          eventName === 'request' && plainAttributes(attributes)['requestId'] === requestId,
      ),
    )
    expect(line).toMatchObject({
      severityText: 'INFO',
      traceId: server?.traceId,
      spanId: server?.spanId,
    })
  })
})

test('all data had the form of OTLP and the headers of the operator, and no secret', async () => {
  const { ask, one, keys, logLines } = gateway()
  const message = `bad key ${credentials.one} for ${prompt}`
  one.script('next', { kind: 'status', status: 401, message })
  const { requestId } = await ask({ key: 'plain', body: chatBody({ messages, model: 'gpt-y' }) })
  await spansOf(requestId, 2)
  expect(receiver.problems).toEqual([])
  expect(receiver.texts.length).toBeGreaterThan(0)
  const text = receiver.texts.join('')
  expect(text).toContain(collectorKey)
  expectNoSecret(text, keys)
  // The message of the upstream may quote the prompt, so it stays in the log of the process.
  await eventually('the line about the upstream', () =>
    receiver.logs.some(({ eventName }) => eventName === 'upstream_failed'),
  )
  expect(receiver.texts.join('')).not.toContain(prompt)
  expect(logLines.join('')).not.toContain(collectorKey)
})

test.each(['busy', 'refuse', 'redirect', 'hang'] as const)(
  'a collector that is in mode %s does not affect requests',
  async (mode) => {
    const { ask } = gateway()
    receiver.mode = mode
    try {
      for (let index = 0; index < 20; index += 1) {
        const { status } = await ask({ key: 'plain', body: chatBody({ model: 'gpt-y' }) })
        expect(status).toBe(200)
      }
      if (mode === 'hang') return
      await eventually('drops are counted', async () => {
        const { text } = await ask({ path: '/metrics' })
        return /tollgate_telemetry_dropped_total\{signal="traces"\} [1-9]/.test(text)
      })
    } finally {
      receiver.mode = 'take'
    }
    expect(receiver.texts.some((text) => text.includes('/elsewhere'))).toBe(false)
  },
)
