import { describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  generateObject,
  generateText,
  RetryError,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from 'ai'
import { z } from 'zod'
import { aiAnthropic } from './clients/ai-others.ts'
import { ask, prompt } from './fixture.ts'
import { withScriptedGateway } from './scripted-gateway.ts'
import { type Answer, answers, oslo, rome, type Script, textOf } from './scripts/answer.ts'
import { scripts } from './scripts/scripts.ts'
import { toolWords } from './sdk.ts'

const { gateway, say, sayStreamed, sent } = withScriptedGateway()
const schema = z.object({ city: z.string(), degrees: z.int() })
const forecast = { city: 'Rome', degrees: 24 }

type Model = Parameters<typeof generateText>[0]['model']

const providers: { name: string; model: (id: string) => Model }[] = [
  { name: 'openai responses', model: (id) => createOpenAI(options('/v1'))(id) },
  { name: 'openai chat', model: (id) => createOpenAI(options('/v1')).chat(id) },
  {
    name: 'openai-compatible',
    model: (id) => createOpenAICompatible({ ...options('/v1'), name: 'tollgate' })(id),
  },
  { name: 'anthropic', model: (id) => createAnthropic(options('/v1'))(id) },
  {
    name: 'anthropic with a bearer token',
    model: (id) => {
      const { apiKey, baseURL } = options('/v1')
      return createAnthropic({ authToken: apiKey, baseURL })(id)
    },
  },
  { name: 'google', model: (id) => createGoogleGenerativeAI(options('/v1beta'))(id) },
]

function options(path: string): { apiKey: string; baseURL: string } {
  const { url, keys } = gateway()
  return { apiKey: keys.any, baseURL: `${url}${path}` }
}

const rows = providers.flatMap(({ name, model }) =>
  scripts.map((script) => ({
    name: `${name} over ${script.protocol}`,
    provider: name,
    script,
    model: () => model(ask(script).model),
  })),
)

describe.each(rows)('$name', ({ provider, script, model }) => {
  test('generateText runs tools until there is an answer', async () => {
    say(script, answers.parallel)
    say(script, answers.call)
    say(script, answers.text)
    const { tools, inputs } = weather()
    const result = await generateText({
      model: model(),
      prompt,
      tools,
      stopWhen: stepCountIs(5),
      maxRetries: 0,
    })
    expect(result.text).toBe(textOf(answers.text))
    expect(result.steps).toHaveLength(3)
    expect(result.totalUsage).toMatchObject({ inputTokens: 3_000, outputTokens: 600 })
    expect(inputs).toEqual([rome.input, oslo.input, rome.input])
    expectResults(script, 2, ['result 1', 'result 2'])
  })

  test('streamText runs tools until there is an answer', async () => {
    sayStreamed(script, answers.thoughtAndCall)
    sayStreamed(script, answers.text)
    const { tools, inputs } = weather()
    const result = streamText({
      model: model(),
      prompt,
      tools,
      stopWhen: stepCountIs(5),
      maxRetries: 0,
    })
    expect((await Array.fromAsync(result.textStream)).join('')).toBe(textOf(answers.text))
    expect(await result.steps).toHaveLength(2)
    expect(await result.finishReason).toBe('stop')
    expect(inputs).toEqual([rome.input])
    expectResults(script, 2, ['result 1'])
  })

  test('generateObject', async () => {
    say(script, spoken(provider, script))
    const { object } = await generateObject({ model: model(), prompt, schema, maxRetries: 0 })
    expect(object).toEqual(forecast)
  })

  test('streamObject', async () => {
    sayStreamed(script, spoken(provider, script))
    const result = streamObject({ model: model(), prompt, schema, maxRetries: 0 })
    const parts = await Array.fromAsync(result.partialObjectStream)
    expect(parts.at(-1)).toEqual(forecast)
    expect(await result.object).toEqual(forecast)
  })
})

describe('errors', () => {
  test.each(rows)('$name: 429 is retryable, 400 is not', async ({ model }) => {
    const { one } = gateway()
    for (const status of [429, 400]) {
      one.script('next', { kind: 'status', status })
      const asked = generateText({ model: model(), prompt, maxRetries: 0 })
      const error: unknown = await asked.catch((cause: unknown) => cause)
      if (!APICallError.isInstance(error)) throw new Error('it did not fail', { cause: error })
      expect(error.isRetryable).toBe(status === 429)
      expect(error.message).toBe(`The fake upstream answers ${status}.`)
    }
  })

  test.each(rows)('$name: the SDK’s own retry', async ({ model, script }) => {
    const { one } = gateway()
    one.script('next', { kind: 'status', status: 429, retryAfterSeconds: 0 })
    say(script, answers.text)
    const { text } = await generateText({ model: model(), prompt, maxRetries: 1 }).catch(
      (error: unknown) => {
        throw RetryError.isInstance(error) ? error.lastError : error
      },
    )
    expect(text).toBe(textOf(answers.text))
    expect(one.requests).toHaveLength(2)
  })
})

/** Anthropic's provider forces a function for unknown models; others request text. */
function spoken(provider: string, script: Script): Answer {
  const isClaude = provider.startsWith('anthropic')
  const name = isClaude ? aiAnthropic.schemaTool?.(ask(script).model) : undefined
  return name === undefined ? answers.json : { calls: [{ name, input: forecast }] }
}

function weather() {
  const inputs: unknown[] = []
  const get_weather = tool({
    description: toolWords.description,
    inputSchema: z.object({ city: z.string(), days: z.int() }),
    execute: (input) => `result ${inputs.push(input)}`,
  })
  return { tools: { get_weather }, inputs }
}

function expectResults(script: Script, count: number, results: readonly string[]): void {
  expect(script.readCalls(sent(count)).map(({ result }) => result)).toEqual([...results])
}
