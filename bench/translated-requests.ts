import {
  benchModel,
  completionsPath,
  question,
  requestBody,
  type StreamShape,
} from './bench-request.ts'

export interface Asked {
  readonly path: string
  readonly body: string
}

const generatePath = `/v1beta/models/${benchModel}`

/** One small streamed request in each client protocol. */
export function smallStreams(shape: StreamShape): Asked[] {
  const text = question(shape)
  const messages = [{ role: 'user', content: text }]
  const limit = shape.eventCount
  return [
    { path: completionsPath, body: requestBody(shape) },
    {
      path: '/v1/messages',
      body: JSON.stringify({ model: benchModel, max_tokens: limit, stream: true, messages }),
    },
    {
      path: '/v1/responses',
      body: JSON.stringify({
        model: benchModel,
        max_output_tokens: limit,
        stream: true,
        store: false,
        input: text,
      }),
    },
    {
      path: `${generatePath}:streamGenerateContent?alt=sse`,
      body: JSON.stringify({
        contents: [{ role: 'user', parts: [{ text }] }],
        generationConfig: { maxOutputTokens: limit },
      }),
    },
  ]
}

const turnCount = 100
const toolCount = 60

/** About a kilobyte of realistic prose: quotes, line breaks, numbers, other alphabets. */
const prose =
  'The gate opens when the coin has dropped.\nIt "knows" 3.14 coins, naïve travellers, and 钱. '.repeat(
    14,
  )

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where to look, from the root of the project.' },
    limit: { type: 'integer', minimum: 1, maximum: 500 },
    depth: { type: 'number', default: 0.5 },
  },
  required: ['path'],
}

const description = prose.slice(0, 600)
const toolNames = Array.from({ length: toolCount }, (_, index) => `tool_${index}`)

/** The same long conversation in each client protocol: 200 messages, 60 tools, 300 KB. */
export function largeRequests(): Asked[] {
  return [
    { path: completionsPath, body: JSON.stringify(largeChat()) },
    { path: '/v1/messages', body: JSON.stringify(largeMessages()) },
    { path: '/v1/responses', body: JSON.stringify(largeResponses()) },
    { path: `${generatePath}:generateContent`, body: JSON.stringify(largeGenerate()) },
  ]
}

function turns<T>(user: (text: string) => T, assistant: (text: string) => T): T[] {
  return Array.from({ length: turnCount }, (_, index) => [
    user(`${index} ${prose}`),
    assistant(`${index} ${prose}`),
  ]).flat()
}

function largeChat() {
  return {
    model: benchModel,
    max_completion_tokens: 128,
    messages: turns(
      (content) => ({ role: 'user', content }),
      (content) => ({ role: 'assistant', content }),
    ),
    tools: toolNames.map((name) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    })),
  }
}

function largeMessages() {
  return {
    model: benchModel,
    max_tokens: 128,
    messages: turns(
      (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
      (text) => ({ role: 'assistant', content: [{ type: 'text', text }] }),
    ),
    tools: toolNames.map((name) => ({ name, description, input_schema: schema })),
  }
}

function largeResponses() {
  return {
    model: benchModel,
    max_output_tokens: 128,
    store: false,
    input: turns<object>(
      (text) => ({ role: 'user', content: [{ type: 'input_text', text }] }),
      (text) => ({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      }),
    ),
    tools: toolNames.map((name) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      strict: false,
    })),
  }
}

function largeGenerate() {
  return {
    contents: turns(
      (text) => ({ role: 'user', parts: [{ text }] }),
      (text) => ({ role: 'model', parts: [{ text }] }),
    ),
    generationConfig: { maxOutputTokens: 128 },
    tools: [
      {
        functionDeclarations: toolNames.map((name) => ({
          name,
          description,
          parametersJsonSchema: schema,
        })),
      },
    ],
  }
}
