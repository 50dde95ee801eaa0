import { beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { LengthFinishReasonError } from 'openai/error'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { parseJson } from '../../src/wire/json.ts'
import { dig } from '../support/protocols/test-protocol.ts'
import { ask, prompt } from './fixture.ts'
import { withScriptedGateway } from './scripted-gateway.ts'
import { answers, oslo, rome, textOf } from './scripts/answer.ts'
import { scripts } from './scripts/scripts.ts'
import { toolWords, weatherSchema } from './sdk.ts'

const { gateway, say, sayStreamed, sent } = withScriptedGateway()
const Forecast = z.object({ city: z.string(), degrees: z.int(), note: z.string().nullable() })
const forecast = { city: 'Rome', degrees: 24, note: null }
const spokenForecast = { pieces: ['{"city":"Rome",', '"degrees":24,"note":null}'] }
const messages = [{ role: 'user' as const, content: prompt }]

let client: OpenAI
beforeAll(() => {
  const { url, keys } = gateway()
  client = new OpenAI({ apiKey: keys.any, baseURL: `${url}/v1`, maxRetries: 0 })
})

describe.each(scripts)('chat over $protocol', (script) => {
  const { model } = ask(script)

  test('events of a stream: one role first, one finish reason, usage on request', async () => {
    for (const isAsked of [true, false]) {
      sayStreamed(script, answers.text)
      const stream_options = { include_usage: isAsked }
      const asked = client.chat.completions.create({
        model,
        messages,
        stream: true,
        stream_options,
      })
      const { data, request_id } = await asked.withResponse()
      const chunks = await Array.fromAsync(data)
      const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
      const finishes = chunks.flatMap(({ choices }) =>
        choices.flatMap((c) => c.finish_reason ?? []),
      )
      expect(request_id).toMatch(/^[0-9a-f-]{36}$/)
      expect(deltas[0]?.role).toBe('assistant')
      expect(deltas.filter(({ role }) => role !== undefined)).toHaveLength(1)
      const texts = deltas.map(({ content }) => content ?? '')
      expect(texts.filter((text) => text !== '')).toEqual(answers.text.pieces)
      expect(finishes).toEqual(['stop'])
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
      const usages = chunks.flatMap(({ usage }) => usage ?? [])
      expect(usages).toHaveLength(isAsked ? 1 : 0)
      expect(chunks.at(-1)?.choices).toHaveLength(isAsked ? 0 : 1)
    }
  })

  test('events of tool calls: index, id and name once, arguments in pieces', async () => {
    sayStreamed(script, answers.parallel)
    const tools = [
      { type: 'function' as const, function: { ...toolWords, parameters: weatherSchema } },
    ]
    const stream = await client.chat.completions.create({ model, messages, tools, stream: true })
    const told = new Map<number, { ids: string[]; names: string[]; text: string }>()
    for await (const { choices } of stream) {
      for (const call of choices[0]?.delta.tool_calls ?? []) {
        const known = told.get(call.index) ?? { ids: [], names: [], text: '' }
        if (call.id) known.ids.push(call.id)
        if (call.function?.name) known.names.push(call.function.name)
        known.text += call.function?.arguments ?? ''
        told.set(call.index, known)
      }
    }
    expect([...told.keys()]).toEqual([0, 1])
    const calls = [...told.values()]
    expect(calls.map(({ names }) => names)).toEqual([[rome.name], [oslo.name]])
    expect(calls.map(({ text }) => JSON.parse(text))).toEqual([rome.input, oslo.input])
    expect(new Set(calls.flatMap(({ ids }) => ids)).size).toBe(2)
  })

  test('parse with zod', async () => {
    say(script, spokenForecast)
    const response_format = zodResponseFormat(Forecast, 'forecast')
    const completion = await client.chat.completions.parse({ model, messages, response_format })
    expect(completion.choices[0]?.message.parsed).toEqual(forecast)
    const schema = script.readSchema(sent(1))
    expect(Object.keys(dig(schema, 'properties') ?? {})).toEqual(['city', 'degrees', 'note'])
  })

  test('parse throws when the reply is truncated', async () => {
    say(script, { pieces: ['{"city":'], isCutShort: true })
    const response_format = zodResponseFormat(Forecast, 'forecast')
    const asked = client.chat.completions.parse({ model, messages, response_format })
    expect(await asked.catch((error: unknown) => error)).toBeInstanceOf(LengthFinishReasonError)
  })

  test('stream with zod', async () => {
    sayStreamed(script, spokenForecast)
    const response_format = zodResponseFormat(Forecast, 'forecast')
    const stream = client.chat.completions.stream({ model, messages, response_format })
    const completion = await stream.finalChatCompletion()
    expect(completion.choices[0]?.message.parsed).toEqual(forecast)
  })

  test('any JSON object', async () => {
    say(script, answers.json)
    const completion = await client.chat.completions.create({
      model,
      messages: [{ role: 'system', content: 'Answer in JSON.' }, ...messages],
      response_format: { type: 'json_object' },
    })
    expect(completion.choices[0]?.message.content).toBe(textOf(answers.json))
  })

  test.each([{ isStream: false }, { isStream: true }])(
    'runTools, stream $isStream',
    async (row) => {
      const tell = row.isStream ? sayStreamed : say
      tell(script, answers.parallel)
      tell(script, answers.text)
      const inputs: object[] = []
      const tool = {
        ...toolWords,
        parameters: weatherSchema,
        parse: (text: string) => parseJson(text) as object,
        function: (input: object) => {
          inputs.push(input)
          return `result ${inputs.length}`
        },
      }
      const tools = [{ type: 'function' as const, function: tool }]
      const runner = row.isStream
        ? client.chat.completions.runTools({ model, messages, tools, stream: true })
        : client.chat.completions.runTools({ model, messages, tools })
      expect(await runner.finalContent()).toBe(textOf(answers.text))
      expect(inputs).toEqual([rome.input, oslo.input])
      expect(script.readCalls(sent(2)).map(({ result }) => result)).toEqual([
        'result 1',
        'result 2',
      ])
    },
  )
})

describe.each(scripts)('responses over $protocol', (script) => {
  const { model } = ask(script)

  test('events of a stream: the whole sequence, numbered without gaps', async () => {
    sayStreamed(script, answers.text)
    const asked = client.responses.create({ model, input: prompt, stream: true })
    const { data, request_id } = await asked.withResponse()
    const events = await Array.fromAsync(data)
    expect(request_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()])
    const types = events.map(({ type }) => type)
    const deltas = answers.text.pieces.map(() => 'response.output_text.delta')
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      ...deltas,
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ] as typeof types)
    const last = events.at(-1)
    if (last?.type !== 'response.completed') throw new Error('the stream has no end')
    expect(last.response.output).toMatchObject([
      { type: 'message', content: [{ type: 'output_text', text: textOf(answers.text) }] },
    ])
  })

  test('parse and stream with zod', async () => {
    const text = { format: zodTextFormat(Forecast, 'forecast') }
    say(script, spokenForecast)
    const parsed = await client.responses.parse({ model, input: prompt, text })
    expect(parsed.output_parsed).toEqual(forecast)
    sayStreamed(script, spokenForecast)
    const streamed = await client.responses.stream({ model, input: prompt, text }).finalResponse()
    expect(streamed.output_parsed).toEqual(forecast)
    expect(Object.keys(dig(script.readSchema(sent(2)), 'properties') ?? {})).toHaveLength(3)
  })

  test('any JSON object', async () => {
    say(script, answers.json)
    const text = { format: { type: 'json_object' as const } }
    const response = await client.responses.create({ model, input: `${prompt} In JSON.`, text })
    expect(response.output_text).toBe(textOf(answers.json))
  })
})
