import { isObject } from '../../../src/wire/json.ts'
import { messages } from '../../support/protocols/messages.ts'
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

/** The common interface of both major versions of Anthropic's SDK, as far as the tests use it. */
export interface AnthropicLike {
  readonly messages: {
    create(body: Body): {
      withResponse(): Promise<{ data: Message; request_id: string | null | undefined }>
    }
    stream(
      body: Body,
      options: { signal?: AbortSignal },
    ): {
      on(event: 'text', listener: (text: string) => void): unknown
      finalMessage(): Promise<Message>
      readonly request_id: string | null | undefined
    }
  }
}

type Block =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }

type BlockParam =
  | Block
  | { type: 'image'; source: { type: 'base64'; media_type: 'image/png'; data: string } }
  | { type: 'tool_result'; tool_use_id: string; content: string }

interface Turn {
  role: 'user' | 'assistant'
  content: string | BlockParam[]
}

interface Body {
  model: string
  max_tokens: number
  messages: Turn[]
  system?: string
  tool_choice?:
    | { type: 'auto' }
    | { type: 'any' }
    | { type: 'none' }
    | { type: 'tool'; name: string }
  tools?: { name: string; description: string; input_schema: { type: 'object' } }[]
  thinking?: { type: 'enabled'; budget_tokens: number }
  output_config?: { format: { type: 'json_schema'; schema: Record<string, unknown> } }
}

interface Message {
  readonly content: readonly ({ readonly type: string } | Block)[]
  readonly stop_reason: string | null
  readonly stop_details?: { readonly explanation?: string | null } | null
  readonly usage: unknown
}

export const anthropicFacts = {
  protocol: 'messages',
  finishes: {
    stop: 'end_turn',
    cutShort: 'max_tokens',
    calls: 'tool_use',
    refusal: 'refusal',
  },
  tellsRefusals: true,
  usage: messages.usage,
} satisfies Partial<Sdk>

/** `messages.create`, and the helper `messages.stream().finalMessage()`. */
export function connectAnthropic(client: AnthropicLike): Connection {
  return {
    ask: (question) => ask(client, question, firstTurns(question)),
    stream: (question, ear = {}) => stream(client, question, firstTurns(question), ear),
  }
}

function firstTurns({ prompt, image }: Question): Turn[] {
  if (!image) return [{ role: 'user', content: prompt }]
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: image.data }
  const content = [
    { type: 'image' as const, source },
    { type: 'text' as const, text: prompt },
  ]
  return [{ role: 'user', content }]
}

const choices = {
  auto: { type: 'auto' },
  must: { type: 'any' },
  never: { type: 'none' },
  get_weather: { type: 'tool', name: toolWords.name },
} as const

function bodyOf(question: Question, turns: Turn[]): Body {
  const { model, system, hasTools, choice, hasSchema, thinks } = question
  return {
    model,
    max_tokens: outputTokensMax,
    messages: turns,
    ...(system ? { system } : {}),
    ...(hasTools ? { tools: [{ ...toolWords, input_schema: weatherSchema }] } : {}),
    ...(choice ? { tool_choice: choices[choice] } : {}),
    ...(hasSchema
      ? { output_config: { format: { type: 'json_schema', schema: forecastSchema } } }
      : {}),
    ...(thinks ? { thinking: { type: 'enabled', budget_tokens: 1_024 } } : {}),
  }
}

async function ask(client: AnthropicLike, question: Question, turns: Turn[]): Promise<Heard> {
  const { data, request_id } = await client.messages.create(bodyOf(question, turns)).withResponse()
  return hear(data, request_id, (more) => ask(client, question, [...turns, ...more]))
}

async function stream(
  client: AnthropicLike,
  question: Question,
  turns: Turn[],
  { onText, signal }: Ear,
): Promise<Heard> {
  const told = client.messages.stream(bodyOf(question, turns), signal ? { signal } : {})
  if (onText) told.on('text', (text) => onText(text))
  const message = await told.finalMessage()
  return hear(message, told.request_id, (more) => stream(client, question, [...turns, ...more], {}))
}

function hear(
  message: Message,
  requestId: string | null | undefined,
  askAgain: (more: Turn[]) => Promise<Heard>,
): Heard {
  const content = message.content.map((block) => block as Block)
  const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thought: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    refusal: message.stop_details?.explanation ?? '',
    calls: calls.map(({ name, input }) => {
      if (!isObject(input)) throw new Error('the input is not an object')
      return { name, input }
    }),
    finish: message.stop_reason,
    usage: message.usage,
    requestId: requestId ?? '',
    askMore: (prompt) =>
      askAgain([
        { role: 'assistant', content },
        { role: 'user', content: prompt },
      ]),
    goOn: (results) =>
      askAgain([
        { role: 'assistant', content },
        {
          role: 'user',
          content: calls.map(({ id }, index) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: results[index] ?? '',
          })),
        },
      ]),
  }
}
