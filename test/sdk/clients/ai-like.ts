import { APICallError, generateText, jsonSchema, type ModelMessage, Output, streamText } from 'ai'
import { isObject } from '../../../src/wire/json.ts'
import {
  type Connection,
  type Ear,
  forecastSchema,
  type Heard,
  outputTokensMax,
  type Question,
  type Sdk,
  toolWords,
  weatherSchema,
} from '../sdk.ts'

// The package prints warnings about unknown model names.
globalThis.AI_SDK_LOG_WARNINGS = false

type Options = Parameters<typeof generateText>[0]

/** One provider of the `ai` package. */
export interface AiProvider {
  model(id: string): Options['model']
  /** How the client requests reasoning. */
  readonly thinkOptions: NonNullable<Options['providerOptions']>
}

export const aiFacts = {
  finishes: { stop: 'stop', cutShort: 'length', calls: 'tool-calls', refusal: 'content-filter' },
  tellsRefusals: false,
  usage: {
    inputTokens: 1_000,
    inputTokenDetails: { noCacheTokens: 600, cacheReadTokens: 400 },
    outputTokens: 200,
    outputTokenDetails: { textTokens: 150, reasoningTokens: 50 },
    totalTokens: 1_200,
  },
  errorClass: () => APICallError,
  readError: (error) => {
    if (!APICallError.isInstance(error))
      throw new Error('not an error of the SDK', { cause: error })
    const { statusCode, message, responseHeaders } = error
    return { status: statusCode, message, requestId: responseHeaders?.['x-request-id'] ?? '' }
  },
} satisfies Partial<Sdk>

/** generateText and streamText, with Output.object for JSON. */
export function connectAi(provider: AiProvider): Connection {
  return {
    ask: (question) => ask(provider, question, firstMessages(question)),
    stream: (question, ear = {}) => stream(provider, question, firstMessages(question), ear),
  }
}

function firstMessages({ prompt, image }: Question): ModelMessage[] {
  if (!image) return [{ role: 'user', content: prompt }]
  const shown = { type: 'image' as const, image: image.data, mediaType: image.mime }
  return [{ role: 'user', content: [{ type: 'text', text: prompt }, shown] }]
}

const choices = {
  auto: 'auto',
  must: 'required',
  never: 'none',
  get_weather: { type: 'tool', toolName: toolWords.name },
} as const

function optionsOf({ model, thinkOptions }: AiProvider, question: Question) {
  const { system, hasTools, choice, hasSchema, thinks } = question
  const tool = { description: toolWords.description, inputSchema: jsonSchema(weatherSchema) }
  return {
    model: model(question.model),
    maxOutputTokens: outputTokensMax,
    maxRetries: 0,
    ...(system ? { system } : {}),
    ...(hasTools ? { tools: { [toolWords.name]: tool } } : {}),
    ...(choice ? { toolChoice: choices[choice] } : {}),
    ...(hasSchema ? { output: Output.object({ schema: jsonSchema(forecastSchema) }) } : {}),
    ...(thinks ? { providerOptions: thinkOptions } : {}),
  }
}

async function ask(
  provider: AiProvider,
  question: Question,
  messages: ModelMessage[],
): Promise<Heard> {
  const result = await generateText({ ...optionsOf(provider, question), messages })
  return hear(result, (more) => ask(provider, question, [...messages, ...more]))
}

async function stream(
  provider: AiProvider,
  question: Question,
  messages: ModelMessage[],
  { onText, signal }: Ear,
): Promise<Heard> {
  const result = streamText({
    ...optionsOf(provider, question),
    messages,
    ...(signal ? { abortSignal: signal } : {}),
    // The error is read from the stream; without this handler it is also printed.
    onError: () => undefined,
  })
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') onText?.(part.text)
    if (part.type === 'abort') throw new Error('aborted')
    if (part.type === 'error') {
      throw part.error instanceof Error ? part.error : new Error(JSON.stringify(part.error))
    }
  }
  const finishReason = await result.finishReason
  if (finishReason === 'other') throw new Error('the stream ended early')
  return hear(
    {
      text: await result.text,
      reasoningText: await result.reasoningText,
      toolCalls: await result.toolCalls,
      finishReason,
      usage: await result.usage,
      response: await result.response,
    },
    (more) => stream(provider, question, [...messages, ...more], {}),
  )
}

interface Result {
  readonly text: string
  readonly reasoningText: string | undefined
  readonly toolCalls: readonly { toolCallId: string; toolName: string; input: unknown }[]
  readonly finishReason: string
  readonly usage: unknown
  readonly response: {
    readonly messages: readonly ModelMessage[]
    readonly headers?: Readonly<Record<string, string>>
  }
}

function hear(result: Result, askAgain: (more: ModelMessage[]) => Promise<Heard>): Heard {
  const { text, reasoningText = '', toolCalls, finishReason, usage, response } = result
  return {
    text,
    thought: reasoningText,
    refusal: '',
    calls: toolCalls.map(({ toolName, input }) => {
      if (!isObject(input)) throw new Error('the input is not an object')
      return { name: toolName, input }
    }),
    finish: finishReason,
    usage,
    requestId: response.headers?.['x-request-id'] ?? '',
    askMore: (prompt) => askAgain([...response.messages, { role: 'user', content: prompt }]),
    goOn: (results) =>
      askAgain([
        ...response.messages,
        {
          role: 'tool',
          content: toolCalls.map(({ toolCallId, toolName }, index) => ({
            type: 'tool-result',
            toolCallId,
            toolName,
            output: { type: 'text', value: results[index] ?? '' },
          })),
        },
      ]),
  }
}
