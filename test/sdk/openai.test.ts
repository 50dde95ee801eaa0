import { beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, {
  APIConnectionError,
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from 'openai'
import { chunk, event, roleChunk } from '../support/gateway/chat-events.ts'
import { type KeyName, windowless } from '../support/gateway/test-provision.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'

const gateway = withGateway()
const question = { role: 'user' as const, content: 'How is the weather in Rome?' }
const plain = { model: 'gpt-x', messages: [question], max_tokens: 200 }
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }]

function clientOf(key: KeyName, maxRetries = 0): OpenAI {
  const { url, keys } = gateway()
  return new OpenAI({ apiKey: keys[key], baseURL: `${url}/v1`, maxRetries })
}

let client: OpenAI
beforeAll(() => {
  client = clientOf('plain')
})

describe('models', () => {
  test('the list and one model', async () => {
    const listed = await client.models.list()
    expect(listed.data.map(({ id }) => id)).toEqual(['gpt-dead', 'gpt-unpriced', 'gpt-x', 'gpt-y'])
    const model = await client.models.retrieve('gpt-x')
    expect(model).toMatchObject({ id: 'gpt-x', object: 'model', owned_by: 'tests' })
  })

  test('a model whose name has a slash and a colon', async () => {
    expect(await clientOf('premium').models.retrieve(windowless)).toMatchObject({ id: windowless })
  })

  test('all pages', async () => {
    const ids: string[] = []
    for await (const { id } of clientOf('premium').models.list()) ids.push(id)
    expect(ids).toEqual(['gpt-premium', 'gpt-x', windowless])
  })
})

describe('a completion', () => {
  test('with usage, cost and the request id', async () => {
    const { data, response, request_id } = await client.chat.completions
      .create({ ...plain, messages: [{ role: 'user', content: 'Good morning' }] })
      .withResponse()
    expect(data.choices[0]?.message.content).toContain('Good morning')
    expect(data.usage?.total_tokens).toBeGreaterThan(0)
    expect(request_id).toBe(response.headers.get('x-gateway-request-id'))
    const row = await gateway().money.usageRow(request_id ?? '')
    expect(row.status).toBe(200)
    expect(Number(response.headers.get('x-gateway-cost')) * 1e9).toBeCloseTo(Number(row.cost_nano))
  })

  test('with structured output', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
      required: ['city', 'degrees'],
      additionalProperties: false,
    }
    const completion = await client.chat.completions.create({
      ...plain,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'weather', strict: true, schema },
      },
    })
    const text = completion.choices[0]?.message.content ?? ''
    expect(JSON.parse(text)).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
  })
})

describe('a stream', () => {
  test('word by word, with usage only on request', async () => {
    for (const isAsked of [true, false]) {
      const stream = await client.chat.completions.create({
        ...plain,
        stream: true,
        ...(isAsked ? { stream_options: { include_usage: true } } : {}),
      })
      let text = ''
      let usages = 0
      let words = 0
      for await (const part of stream) {
        text += part.choices[0]?.delta.content ?? ''
        words += 1
        if (part.usage) usages += 1
      }
      expect(text).toContain('How is the weather in Rome?')
      expect(words).toBeGreaterThan(5)
      expect(usages).toBe(isAsked ? 1 : 0)
    }
  })

  test('with the helper', async () => {
    const stream = client.chat.completions.stream({
      ...plain,
      stream_options: { include_usage: true },
    })
    let told = ''
    stream.on('content', (delta) => {
      told += delta
    })
    const final = await stream.finalChatCompletion()
    expect(final.choices[0]?.message.content).toBe(told)
    expect(final.choices[0]?.finish_reason).toBe('stop')
    expect((await stream.totalUsage()).total_tokens).toBeGreaterThan(0)
  })

  test('that breaks throws an error instead of ending', async () => {
    const { one } = gateway()
    const gate = Promise.withResolvers<void>()
    const broken = event({ error: { message: 'it broke', type: 'server_error' } })
    const events = [roleChunk(), chunk('Hello'), broken]
    const gates = [undefined, undefined, gate.promise]
    one.script('next', { kind: 'events', events, end: 'clean', gates })
    const stream = await client.chat.completions.create({ ...plain, stream: true })
    let text = ''
    const read = async () => {
      for await (const part of stream) {
        text += part.choices[0]?.delta.content ?? ''
        if (text === 'Hello') gate.resolve()
      }
    }
    const error = await failureOf(read())
    expect(text).toBe('Hello')
    expect(error).toBeInstanceOf(APIError)
    expect(error.message).toContain('it broke')
  })

  test('that the client aborts is stopped upstream', async () => {
    const { one, money, clock } = gateway()
    const never = Promise.withResolvers<void>().promise
    const events = [roleChunk(), chunk('Hello'), chunk('never')]
    const gates = [undefined, undefined, never]
    one.script('next', { kind: 'events', events, end: 'clean', gates })
    const asked = client.chat.completions.create({ ...plain, stream: true })
    const { data: stream, request_id } = await asked.withResponse()
    for await (const part of stream) {
      if (part.choices[0]?.delta.content === 'Hello') break
    }
    await clock.passTimeUntil(Promise.resolve(one.requests[0]?.whenAborted), 5_000)
    expect((await money.usageRow(request_id ?? '')).reason).toBe('client_gone')
  })
})

describe('tools', () => {
  test('a call, its result, and the final answer', async () => {
    const first = await client.chat.completions.create({ ...plain, tools })
    const message = first.choices[0]?.message
    const call = message?.tool_calls?.[0]
    if (message === undefined || call?.type !== 'function') throw new Error('no call was made')
    expect(first.choices[0]?.finish_reason).toBe('tool_calls')
    expect(call.function.name).toBe('get_weather')
    expect(JSON.parse(call.function.arguments)).toEqual({ city: expect.any(String) })
    const result = { role: 'tool' as const, tool_call_id: call.id, content: 'sunny, 24 degrees' }
    const second = await client.chat.completions.create({
      ...plain,
      tools,
      messages: [question, message, result],
    })
    expect(second.choices[0]?.message.content).toContain('sunny, 24 degrees')
  })

  test('streamed, in pieces that add up', async () => {
    const final = await client.chat.completions.stream({ ...plain, tools }).finalChatCompletion()
    const call = final.choices[0]?.message.tool_calls?.[0]
    if (call?.type !== 'function') throw new Error('no call was made')
    expect(JSON.parse(call.function.arguments)).toEqual({ city: expect.any(String) })
  })

  test('run by the helper until there is a final answer', async () => {
    const asked: unknown[] = []
    const runner = client.chat.completions.runTools({
      ...plain,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'The weather of a city.',
            parameters,
            parse: JSON.parse,
            function: (given: unknown) => {
              asked.push(given)
              return 'rainy'
            },
          },
        },
      ],
    })
    expect(await runner.finalContent()).toContain('rainy')
    expect(asked).toEqual([{ city: expect.any(String) }])
  })
})

describe('errors have the classes of the client and the request id', () => {
  type ErrorClass = abstract new (...given: never[]) => APIError
  const rows: {
    name: string
    type: ErrorClass
    code: string | null
    ask: () => Promise<unknown>
  }[] = [
    {
      name: '401',
      type: AuthenticationError,
      code: 'invalid_token',
      ask: () => clientOf('disabled').chat.completions.create(plain),
    },
    {
      name: '403',
      type: PermissionDeniedError,
      code: 'insufficient_credit',
      ask: () => clientOf('broke').chat.completions.create(plain),
    },
    {
      name: '404 for a model',
      type: NotFoundError,
      code: 'model_not_found',
      ask: () => client.chat.completions.create({ ...plain, model: 'no-such' }),
    },
    {
      name: '404 for a path',
      type: NotFoundError,
      code: 'not_found',
      ask: () => client.post('/nothing', { body: {} }),
    },
    {
      name: '400',
      type: BadRequestError,
      code: 'invalid_request',
      ask: () => client.chat.completions.create({ ...plain, messages: [] }),
    },
    {
      name: '422 of the upstream',
      type: UnprocessableEntityError,
      code: 'upstream_rejected',
      ask: () => {
        gateway().one.script('next', { kind: 'reply', status: 422, body: '{}' })
        return client.chat.completions.create(plain)
      },
    },
    {
      name: '429 of the upstream',
      type: RateLimitError,
      code: 'rate_limit_exceeded',
      ask: () => {
        gateway().one.script('next', { kind: 'status', status: 429 })
        return client.chat.completions.create({ ...plain, model: 'gpt-y' })
      },
    },
    {
      name: '502',
      type: InternalServerError,
      code: 'upstream_error',
      ask: () => {
        gateway().one.script('next', { kind: 'status', status: 500 })
        return client.chat.completions.create({ ...plain, model: 'gpt-y' })
      },
    },
    {
      name: '502 of a stream',
      type: InternalServerError,
      code: 'upstream_error',
      ask: () => {
        gateway().one.script('next', { kind: 'status', status: 500 })
        return client.chat.completions.create({ ...plain, model: 'gpt-y', stream: true })
      },
    },
  ]
  test.each(rows)('$name', async ({ type, code, ask }) => {
    const error = await failureOf(ask())
    expect(error).toBeInstanceOf(type)
    if (!(error instanceof APIError)) throw new Error('not an error of the client')
    expect(error.code).toBe(code)
    expect(error.requestID).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })

  test('an unreachable gateway is a connection error', async () => {
    const nobody = new OpenAI({ apiKey: 'any', baseURL: 'http://127.0.0.1:1/v1', maxRetries: 0 })
    expect(await failureOf(nobody.models.list())).toBeInstanceOf(APIConnectionError)
  })
})

describe('retries of the client', () => {
  test('are not made when the gateway has tried several upstreams', async () => {
    const { one, two, money } = gateway()
    const before = await money.counts()
    one.script({}, { kind: 'status', status: 500 })
    two.script({}, { kind: 'status', status: 500 })
    const asked = clientOf('plain', 5).chat.completions.create({ ...plain, model: 'gpt-x' })
    const error = await failureOf(asked)
    expect(error).toBeInstanceOf(InternalServerError)
    expect(one.requests).toHaveLength(1)
    expect(two.requests).toHaveLength(1)
    if (error instanceof APIError) await money.usageRow(error.requestID ?? '')
    expect((await money.counts()).rows).toBe(before.rows + 1)
  })

  test('are made after 429, when Retry-After allows it', async () => {
    const { one } = gateway()
    one.script('next', { kind: 'status', status: 429, retryAfterSeconds: 0 })
    const asked = clientOf('plain', 2).chat.completions.create({ ...plain, model: 'gpt-y' })
    expect((await asked).choices).toHaveLength(1)
    expect(one.requests).toHaveLength(2)
  })

  test('are not made after a refusal', async () => {
    const { money } = gateway()
    const before = await money.counts()
    const asked = clientOf('broke', 5).chat.completions.create(plain)
    const error = await failureOf(asked)
    expect(error).toBeInstanceOf(PermissionDeniedError)
    if (error instanceof APIError) await money.usageRow(error.requestID ?? '')
    expect((await money.counts()).rows).toBe(before.rows + 1)
  })
})

async function failureOf(asked: Promise<unknown>): Promise<Error> {
  try {
    await asked
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('it did not fail')
}
