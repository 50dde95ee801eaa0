import {
  type Ask,
  dig,
  foldRepeats,
  joinTexts,
  list,
  type SpokenProtocol,
  toolNames,
  weatherSchema,
} from './spoken-protocol.ts'

export const speakChatCompletions: SpokenProtocol = {
  name: 'chat-completions',
  path: '/v1/chat/completions',
  streamPath: '/v1/chat/completions',
  finishWords: { stop: 'stop', length: 'length', calls: 'tool_calls' },
  faultMessagePath: ['error', 'message'],

  ask: (ask, stream) => ({
    model: 'any-model',
    messages: [{ role: 'user', content: ask.prompt }, ...resultMessages(ask)],
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    ...(ask.offersTools === true ? { tools: toolNames.map(tool) } : {}),
    ...(ask.forcedTool === undefined
      ? {}
      : { tool_choice: { type: 'function', function: { name: ask.forcedTool } } }),
    ...(ask.isStructured === true
      ? {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'x', schema: weatherSchema },
          },
        }
      : {}),
    ...(ask.reasons === true ? { reasoning_effort: 'low' } : {}),
    ...(ask.outputTokensMax === undefined ? {} : { max_completion_tokens: ask.outputTokensMax }),
  }),

  readReply: (reply) => {
    const message = dig(reply, 'choices', 0, 'message')
    return {
      text: joinTexts([dig(message, 'content')]),
      reasoning: joinTexts([dig(message, 'reasoning_content')]),
      calls: list(dig(message, 'tool_calls')).map((call) => ({
        name: dig(call, 'function', 'name'),
        arguments: JSON.parse(String(dig(call, 'function', 'arguments'))),
      })),
      finish: dig(reply, 'choices', 0, 'finish_reason'),
      usage: readUsage(dig(reply, 'usage')),
    }
  },

  readEvents: (events) => {
    const deltas = events.map(({ data }) => dig(data, 'choices', 0, 'delta'))
    const pieces = deltas.flatMap((delta) => list(dig(delta, 'tool_calls')))
    const headers = pieces.filter((piece) => dig(piece, 'id') !== undefined)
    return {
      text: joinTexts(deltas.map((delta) => dig(delta, 'content'))),
      reasoning: joinTexts(deltas.map((delta) => dig(delta, 'reasoning_content'))),
      calls: headers.map((header, index) => {
        const own = pieces.filter((piece) => dig(piece, 'index') === index)
        const text = joinTexts(own.map((piece) => dig(piece, 'function', 'arguments')))
        return { name: dig(header, 'function', 'name'), arguments: JSON.parse(text) }
      }),
      finish: dig(events.at(-3)?.data, 'choices', 0, 'finish_reason'),
      usage: readUsage(dig(events.at(-2)?.data, 'usage')),
    }
  },

  outline: (events) =>
    foldRepeats(
      events.map(({ data }) => {
        if (data === '[DONE]') return 'done'
        if (list(dig(data, 'choices')).length === 0) return 'usage'
        const delta = dig(data, 'choices', 0, 'delta')
        if (dig(delta, 'role') !== undefined) return 'role'
        if (dig(delta, 'reasoning_content') !== undefined) return 'reasoning'
        const call = dig(delta, 'tool_calls', 0)
        if (call !== undefined) return `call ${Number(dig(call, 'index'))}`
        return dig(delta, 'content') === undefined ? 'finish' : 'text'
      }),
    ),
}

function tool(name: string): object {
  return { type: 'function', function: { name, description: '', parameters: weatherSchema } }
}

function resultMessages({ toolResult }: Ask): readonly object[] {
  if (toolResult === undefined) return []
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'get_weather', arguments: '{}' },
  }
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: toolResult },
  ]
}

function readUsage(usage: unknown) {
  const reasoning = Number(dig(usage, 'completion_tokens_details', 'reasoning_tokens'))
  const output = Number(dig(usage, 'completion_tokens'))
  return { input: Number(dig(usage, 'prompt_tokens')), output: output - reasoning, reasoning }
}
