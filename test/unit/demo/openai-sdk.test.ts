import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { BadRequestError } from 'openai'
import { weatherSchema } from './spoken-protocol.ts'
import { type StartedDemo, startDemo } from './start-demo.ts'

const model = 'any-model'

let demo: StartedDemo
let client: OpenAI
beforeAll(() => {
  demo = startDemo()
  client = new OpenAI({ apiKey: 'any-key', baseURL: `${demo.url}/v1`, maxRetries: 0 })
})
afterAll(() => demo.stop())

describe('the official OpenAI client, chat completions', () => {
  const tools = [
    {
      type: 'function' as const,
      function: { name: 'get_weather', parameters: { ...weatherSchema } },
    },
  ]

  test('models and a completion', async () => {
    const listed = await client.models.list()
    expect(listed.data.map(({ id }) => id)).toEqual(['tollgate-demo'])
    const completion = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Good morning' }],
    })
    expect(completion.choices[0]?.message.content).toContain('Good morning')
    expect(completion._request_id).toStartWith('req_')
  })

  test('a streamed tool call, its result, and the final answer', async () => {
    const question = { role: 'user' as const, content: 'How is the weather in Rome?' }
    const first = await client.chat.completions
      .stream({ model, tools, messages: [question], stream_options: { include_usage: true } })
      .finalChatCompletion()
    const message = first.choices[0]?.message
    const call = message?.tool_calls?.[0]
    if (message === undefined || call?.type !== 'function') throw new Error('no call was made')
    expect(call.function.name).toBe('get_weather')
    expect(JSON.parse(call.function.arguments)).toMatchObject({ city: 'Rome' })
    expect(first.usage?.total_tokens).toBeGreaterThan(0)

    const second = await client.chat.completions
      .stream({
        model,
        tools,
        messages: [question, message, { role: 'tool', tool_call_id: call.id, content: 'sunny' }],
      })
      .finalContent()
    expect(second).toContain('The tool answered: "sunny"')
  })

  test('a refusal is an error that the client knows', async () => {
    const asked = client.chat.completions.create({ model, messages: [] })
    expect(await asked.catch((error: unknown) => error)).toBeInstanceOf(BadRequestError)
  })
})

describe('the official OpenAI client, responses', () => {
  test('a response', async () => {
    const response = await client.responses.create({ model, input: 'Good morning' })
    expect(response.output_text).toContain('Good morning')
  })

  test('a stream with reasoning and two calls ends with the output that it streamed', async () => {
    const stream = client.responses.stream({
      model,
      input: 'get_weather and get_time in Rome',
      reasoning: { effort: 'low', summary: 'auto' },
      tools: ['get_weather', 'get_time'].map((name) => ({
        type: 'function' as const,
        name,
        parameters: { ...weatherSchema },
        strict: false,
      })),
    })
    const doneItems: unknown[] = []
    for await (const event of stream) {
      if (event.type === 'response.output_item.done') doneItems.push(event.item)
    }
    const final = await stream.finalResponse()
    expect(final.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'function_call',
      'function_call',
    ])
    expect(final.output.map(({ id }) => id)).toEqual(
      doneItems.map((item) => (item as { id: string }).id),
    )
  })

  test('a truncated answer has its finish reason', async () => {
    const response = await client.responses.create({ model, input: 'Hi', max_output_tokens: 3 })
    expect(response.status).toBe('incomplete')
    expect(response.incomplete_details?.reason).toBe('max_output_tokens')
  })
})
