import { beforeAll, describe, expect, test } from 'bun:test'
import Anthropic, { BadRequestError } from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import Anthropic0 from '@anthropic-ai/sdk-0'
import { betaZodTool as betaZodTool0 } from '@anthropic-ai/sdk-0/helpers/beta/zod'
import { z } from 'zod'
import { parseJson } from '../../src/wire/json.ts'
import { dig } from '../support/protocols/test-protocol.ts'
import { ask, prompt } from './fixture.ts'
import { withScriptedGateway } from './scripted-gateway.ts'
import { answers, oslo, rome, textOf } from './scripts/answer.ts'
import { scripts } from './scripts/scripts.ts'
import { toolWords, weatherSchema } from './sdk.ts'

const { gateway, say, sayStreamed, sent } = withScriptedGateway()
const Forecast = z.object({ city: z.string(), degrees: z.int() })
const Weather = z.object({ city: z.string(), days: z.int() })
const messages = [{ role: 'user' as const, content: prompt }]
const max_tokens = 2_000

let client: Anthropic
let older: Anthropic0
beforeAll(() => {
  const { url, keys } = gateway()
  client = new Anthropic({ apiKey: keys.any, baseURL: url, maxRetries: 0 })
  older = new Anthropic0({ apiKey: keys.any, baseURL: url, maxRetries: 0 })
})

describe.each(scripts)('over $protocol', (script) => {
  const { model } = ask(script)

  test('events of a stream: one block after another, usage at the end', async () => {
    sayStreamed(script, { ...answers.text, ...answers.parallel })
    const tools = [{ ...toolWords, input_schema: weatherSchema }]
    const body = { model, max_tokens, messages, tools, stream: true as const }
    const events = await Array.fromAsync(await client.messages.create(body))
    expect(events.flatMap((event) => shape(event) ?? [])).toEqual([
      'message_start',
      'start 0 text',
      'stop 0',
      'start 1 tool_use',
      'stop 1',
      'start 2 tool_use',
      'stop 2',
      'message_delta tool_use',
      'message_stop',
    ])
    const inputOf = (at: number) =>
      events.flatMap((event) => {
        if (event.type !== 'content_block_delta' || event.index !== at) return []
        return event.delta.type === 'input_json_delta' ? [event.delta.partial_json] : []
      })
    expect([1, 2].map((at) => parseJson(inputOf(at).join('')))).toEqual([rome.input, oslo.input])
    const last = events.findLast((event) => event.type === 'message_delta')
    expect(last?.usage).toMatchObject({ output_tokens: 200 })
  })

  test('parse with zod', async () => {
    say(script, answers.json)
    const output_config = { format: zodOutputFormat(Forecast) }
    const message = await client.messages.parse({ model, max_tokens, messages, output_config })
    expect(message.parsed_output).toEqual({ city: 'Rome', degrees: 24 })
    expect(Object.keys(dig(script.readSchema(sent(1)), 'properties') ?? {})).toEqual([
      'city',
      'degrees',
    ])
  })

  test('stream with zod', async () => {
    sayStreamed(script, answers.json)
    const output_config = { format: zodOutputFormat(Forecast) }
    const stream = client.messages.stream({ model, max_tokens, messages, output_config })
    expect((await stream.finalMessage()).parsed_output).toEqual({ city: 'Rome', degrees: 24 })
  })

  test('finalText', async () => {
    sayStreamed(script, answers.thought)
    const stream = client.messages.stream({ model, max_tokens, messages })
    expect(await stream.finalText()).toBe(textOf(answers.thought))
  })

  test.each([{ stream: false }, { stream: true }])(
    'point 6: the tool runner of 1.x continues with the whole history, stream $stream',
    async ({ stream }) => {
      const { one } = gateway()
      const tell = stream ? sayStreamed : say
      tell(script, answers.parallel)
      tell(script, answers.text)
      const inputs: unknown[] = []
      const run = (input: unknown) => `result ${inputs.push(input)}`
      const tools = [betaZodTool({ ...toolWords, inputSchema: Weather, run })]
      const body = { model, max_tokens, messages, tools, system: 'Be brief.' }
      const message = await client.beta.messages.toolRunner({ ...body, stream }).runUntilDone()
      expect(message.content).toMatchObject([{ type: 'text', text: textOf(answers.text) }])
      expect(inputs).toEqual([rome.input, oslo.input])
      expect(one.requests).toHaveLength(2)
      expect(script.readCalls(sent(2)).map(({ result }) => result)).toEqual([
        'result 1',
        'result 2',
      ])
      expect(script.readSystem(sent(2))).toBe('Be brief.')
      expect(script.readTools(sent(2))).toEqual([toolWords.name])
    },
  )

  test('the tool runner of 0.x', async () => {
    say(script, answers.call)
    say(script, answers.text)
    const run = () => 'sunny'
    const tools = [betaZodTool0({ ...toolWords, inputSchema: Weather, run })]
    const runner = older.beta.messages.toolRunner({ model, max_tokens, messages, tools })
    const message = await runner.runUntilDone()
    expect(message.content).toMatchObject([{ type: 'text', text: textOf(answers.text) }])
    expect(script.readCalls(sent(2))).toEqual([{ ...rome, result: 'sunny' }])
  })

  test('an image and an error as tool results', async () => {
    const data = 'iVBORw0KGgo='
    say(script, answers.text)
    await client.messages.create({
      model,
      max_tokens,
      tools: [{ ...toolWords, input_schema: weatherSchema }],
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'toolu_a', name: rome.name, input: rome.input },
            { type: 'tool_use', id: 'toolu_b', name: oslo.name, input: oslo.input },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_a',
              content: [
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
                { type: 'text', text: 'a picture of the sky' },
              ],
            },
            { type: 'tool_result', tool_use_id: 'toolu_b', content: 'no signal', is_error: true },
            { type: 'text', text: 'What do you see?' },
          ],
        },
      ],
    })
    const body = gateway().one.requests[0]?.body ?? ''
    for (const words of [data, 'a picture of the sky', 'no signal', 'What do you see?']) {
      expect(body.split(words)).toHaveLength(2)
    }
  })
})

test('point 6: a thread with its own id is rejected with an error that the SDK recognises', async () => {
  const { one } = gateway()
  const thread = client.beta.messages.thread({ model: 'via-chat', max_tokens })
  const error: unknown = await thread.send(messages).catch((cause: unknown) => cause)
  if (!(error instanceof BadRequestError)) throw new Error('it did not fail', { cause: error })
  expect(error).toMatchObject({ status: 400, errorCode: 'thread_unsupported_request' })
  expect(error.details).toMatchObject({ unsupported: ['thread'] })
  expect(one.requests).toHaveLength(0)
})

test('point 6: an optional thread is ignored', async () => {
  const [script] = scripts
  if (!script) throw new Error('no scripts')
  say(script, answers.text)
  say(script, answers.text)
  const thread = client.beta.messages.thread({
    model: ask(script).model,
    max_tokens,
    unsupportedRequestBehavior: 'continue_unthreaded',
  })
  await thread.send({ role: 'user', content: 'My name is Ada.' })
  await thread.send({ role: 'user', content: 'What is my name?' })
  const second = gateway().one.requests[1]?.body ?? ''
  for (const words of ['My name is Ada.', answers.text.pieces[0] ?? '', 'What is my name?']) {
    expect(second).toContain(words)
  }
})

function shape(event: Anthropic.RawMessageStreamEvent): string | undefined {
  switch (event.type) {
    case 'content_block_start':
      return `start ${event.index} ${event.content_block.type}`
    case 'content_block_stop':
      return `stop ${event.index}`
    case 'content_block_delta':
      return undefined
    case 'message_delta':
      return `message_delta ${event.delta.stop_reason}`
    default:
      return event.type
  }
}
