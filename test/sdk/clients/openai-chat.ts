import OpenAI from 'openai'
import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { chatCompletions } from '../../support/protocols/chat-completions.ts'
import { dig, texts } from '../../support/protocols/test-protocol.ts'
import {
  type Ear,
  forecastSchema,
  type Heard,
  outputTokensMax,
  type Question,
  type Sdk,
  toolWords,
  weatherSchema,
} from '../sdk.ts'
import { openaiErrors } from './openai-errors.ts'

/** `openai`: create, and the helper `.stream()`. */
export const openaiChat: Sdk = {
  name: 'openai chat',
  protocol: 'chat-completions',
  finishes: {
    stop: 'stop',
    cutShort: 'length',
    calls: 'tool_calls',
    refusal: 'content_filter',
    ownRefusal: 'stop',
  },
  tellsRefusals: true,
  usage: chatCompletions.usage,
  ...openaiErrors,
  connect: (url, key) => {
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 })
    return {
      ask: (question) => ask(client, question, firstMessages(question)),
      stream: (question, ear = {}) => stream(client, question, firstMessages(question), ear),
    }
  },
}

type Body = Omit<ChatCompletionCreateParamsNonStreaming, 'stream'>
type Messages = readonly ChatCompletionMessageParam[]

function firstMessages({ prompt, image }: Question): Messages {
  if (!image) return [{ role: 'user', content: prompt }]
  const url = `data:${image.mime};base64,${image.data}`
  const parts = [
    { type: 'text' as const, text: prompt },
    { type: 'image_url' as const, image_url: { url } },
  ]
  return [{ role: 'user', content: parts }]
}

const choices = {
  auto: 'auto',
  must: 'required',
  never: 'none',
  get_weather: { type: 'function', function: { name: toolWords.name } },
} as const

function bodyOf(question: Question, messages: Messages): Body {
  const { model, system, hasTools, choice, hasSchema, thinks } = question
  const tool = { ...toolWords, parameters: weatherSchema, strict: true }
  const wanted = { name: 'forecast', schema: forecastSchema, strict: true }
  return {
    model,
    messages: [...(system ? [{ role: 'system' as const, content: system }] : []), ...messages],
    max_completion_tokens: outputTokensMax,
    ...(hasTools ? { tools: [{ type: 'function', function: tool }] } : {}),
    ...(choice ? { tool_choice: choices[choice] } : {}),
    ...(hasSchema ? { response_format: { type: 'json_schema', json_schema: wanted } } : {}),
    ...(thinks ? { reasoning_effort: 'low' } : {}),
  }
}

async function ask(client: OpenAI, question: Question, messages: Messages): Promise<Heard> {
  const asked = client.chat.completions.create(bodyOf(question, messages))
  const { data, request_id } = await asked.withResponse()
  return hear(data, request_id ?? '', (more) => ask(client, question, [...messages, ...more]))
}

async function stream(
  client: OpenAI,
  question: Question,
  messages: Messages,
  { onText, signal }: Ear,
): Promise<Heard> {
  const body = { ...bodyOf(question, messages), stream_options: { include_usage: true } }
  const told = client.chat.completions.stream(body, signal ? { signal } : {})
  if (onText) told.on('content', onText)
  const completion = await told.finalChatCompletion()
  return hear(completion, '', (more) => stream(client, question, [...messages, ...more], {}))
}

function hear(
  completion: ChatCompletion,
  requestId: string,
  askAgain: (more: Messages) => Promise<Heard>,
): Heard {
  const choice = completion.choices[0]
  if (!choice) throw new Error('the reply has no choice')
  const { message, finish_reason: finish } = choice
  const calls = (message.tool_calls ?? []).map((call) => {
    if (call.type !== 'function') throw new Error('no function was called')
    const input = parseJson(call.function.arguments)
    if (!isObject(input)) throw new Error(`not a JSON object: ${call.function.arguments}`)
    return { id: call.id, name: call.function.name, input }
  })
  return {
    text: message.content ?? '',
    thought: texts([dig(message, 'reasoning_content')]),
    refusal: message.refusal ?? '',
    calls: calls.map(({ name, input }) => ({ name, input })),
    finish,
    usage: completion.usage,
    requestId,
    askMore: (prompt) => askAgain([message, { role: 'user', content: prompt }]),
    goOn: (results) =>
      askAgain([
        message,
        ...calls.map(({ id }, index) => ({
          role: 'tool' as const,
          tool_call_id: id,
          content: results[index] ?? '',
        })),
      ]),
  }
}
