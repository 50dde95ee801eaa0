import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readSse } from './read-sse.ts'
import { speakChatCompletions } from './speak-chat-completions.ts'
import { speakGenerateContent } from './speak-generate-content.ts'
import { speakMessages } from './speak-messages.ts'
import { speakResponses } from './speak-responses.ts'
import type { Ask, Told } from './spoken-protocol.ts'
import { type StartedDemo, startDemo } from './start-demo.ts'

const protocols = [speakChatCompletions, speakResponses, speakMessages, speakGenerateContent]
const romanWeather = { city: 'Rome', unit: 'celsius', place: { height: 1 } }

interface AnswerCase {
  readonly name: string
  readonly ask: Ask
  readonly told: Partial<Told>
  readonly finish: 'stop' | 'length' | 'calls'
}

const cases: readonly AnswerCase[] = [
  {
    name: 'the text repeats the prompt',
    ask: { prompt: 'Good morning to you' },
    told: {
      text: 'This is Tollgate\'s built-in demo model. You said: "Good morning to you"',
      reasoning: '',
      calls: [],
      usage: { input: 4, output: 12, reasoning: 0 },
    },
    finish: 'stop',
  },
  {
    name: 'tools that the prompt does not mention are not called',
    ask: { prompt: 'Good morning', offersTools: true },
    told: { calls: [] },
    finish: 'stop',
  },
  {
    name: 'a tool is called when the prompt is about it',
    ask: { prompt: 'How is the weather in Rome today?', offersTools: true },
    told: { text: '', calls: [{ name: 'get_weather', arguments: romanWeather }] },
    finish: 'calls',
  },
  {
    name: 'two named tools are both called',
    ask: { prompt: 'Call get_weather and get_time for Rome', offersTools: true },
    told: {
      text: '',
      calls: [
        { name: 'get_weather', arguments: romanWeather },
        { name: 'get_time', arguments: romanWeather },
      ],
    },
    finish: 'calls',
  },
  {
    name: 'a forced tool is called for any prompt',
    ask: { prompt: 'Just say Rome', offersTools: true, forcedTool: 'get_time' },
    told: { calls: [{ name: 'get_time', arguments: romanWeather }] },
    finish: 'calls',
  },
  {
    name: 'a tool result is quoted, and no tool is called again',
    ask: {
      prompt: 'How is the weather in Rome?',
      offersTools: true,
      toolResult: 'sunny, 21 degrees',
    },
    told: {
      text: 'This is Tollgate\'s built-in demo model. The tool answered: "sunny, 21 degrees"',
      calls: [],
    },
    finish: 'stop',
  },
  {
    name: 'structured output fits the schema',
    ask: { prompt: 'Tell me about Rome', isStructured: true },
    told: { text: JSON.stringify(romanWeather) },
    finish: 'stop',
  },
  {
    name: 'reasoning comes first and is counted separately',
    ask: { prompt: 'Good morning', reasons: true },
    told: {
      reasoning: 'The user wrote 2 words. A short answer will do.',
      usage: { input: 2, output: 10, reasoning: 10 },
    },
    finish: 'stop',
  },
  {
    name: 'the output limit cuts the text',
    ask: { prompt: 'Good morning', outputTokensMax: 4 },
    told: { text: "This is Tollgate's built-in", usage: { input: 2, output: 4, reasoning: 0 } },
    finish: 'length',
  },
  {
    name: 'reasoning alone can use up the output limit',
    ask: { prompt: 'Good morning', reasons: true, outputTokensMax: 3 },
    told: { text: '', reasoning: 'The user wrote', usage: { input: 2, output: 0, reasoning: 3 } },
    finish: 'length',
  },
  {
    name: 'a tool call that exceeds the limit is not started',
    ask: { prompt: 'Use get_weather', offersTools: true, outputTokensMax: 1 },
    told: { text: '', calls: [] },
    finish: 'length',
  },
]

let demo: StartedDemo
beforeAll(() => {
  demo = startDemo()
})
afterAll(() => demo.stop())

for (const protocol of protocols) {
  describe(protocol.name, () => {
    test.each(cases)('$name', async ({ ask, told, finish }) => {
      const reply = await demo.post(protocol.path, protocol.ask(ask, false))
      expect(reply.status).toBe(200)
      const whole = protocol.readReply(await reply.json())
      expect(whole).toMatchObject({ ...told, finish: protocol.finishWords[finish] })

      const streamed = await demo.post(protocol.streamPath, protocol.ask(ask, true))
      expect(streamed.headers.get('content-type')).toStartWith('text/event-stream')
      expect(protocol.readEvents(await readSse(streamed))).toEqual(whole)
    })

    test('the same request is answered with the same bytes', async () => {
      const body = protocol.ask({ prompt: 'Good morning', reasons: true }, true)
      const first = await (await demo.post(protocol.streamPath, body)).text()
      const second = await (await demo.post(protocol.streamPath, body)).text()
      expect(second).toBe(first)
    })

    test('a long prompt is not repeated in full', async () => {
      const body = protocol.ask({ prompt: 'word '.repeat(5_000) }, false)
      const told = protocol.readReply(await (await demo.post(protocol.path, body)).json())
      expect(told.usage.input).toBeGreaterThanOrEqual(5_000)
      expect(told.text.length).toBeLessThan(500)
    })
  })
}
