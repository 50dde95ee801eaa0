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

export const speakMessages: SpokenProtocol = {
  name: 'messages',
  path: '/v1/messages',
  streamPath: '/v1/messages?beta=true',
  finishWords: { stop: 'end_turn', length: 'max_tokens', calls: 'tool_use' },
  faultMessagePath: ['error', 'message'],

  ask: (ask, stream) => ({
    model: 'any-model',
    max_tokens: ask.outputTokensMax ?? 2_000,
    messages: [{ role: 'user', content: ask.prompt }, ...resultMessages(ask)],
    ...(stream ? { stream } : {}),
    ...(ask.offersTools === true
      ? { tools: toolNames.map((name) => ({ name, input_schema: weatherSchema })) }
      : {}),
    ...(ask.forcedTool === undefined
      ? {}
      : { tool_choice: { type: 'tool', name: ask.forcedTool } }),
    ...(ask.isStructured === true
      ? { output_config: { format: { type: 'json_schema', schema: weatherSchema } } }
      : {}),
    ...(ask.reasons === true ? { thinking: { type: 'enabled', budget_tokens: 1_024 } } : {}),
  }),

  readReply: (reply) => {
    const blocks = list(dig(reply, 'content'))
    return {
      text: joinTexts(blocks.map((block) => dig(block, 'text'))),
      reasoning: joinTexts(blocks.map((block) => dig(block, 'thinking'))),
      calls: blocks
        .filter((block) => dig(block, 'type') === 'tool_use')
        .map((block) => ({ name: dig(block, 'name'), arguments: dig(block, 'input') })),
      finish: dig(reply, 'stop_reason'),
      usage: readUsage(dig(reply, 'usage')),
    }
  },

  readEvents: (events) => {
    const datas = events.map(({ data }) => data)
    const starts = datas.filter((data) => dig(data, 'content_block', 'type') === 'tool_use')
    const last = datas.find((data) => dig(data, 'type') === 'message_delta')
    return {
      text: joinTexts(datas.map((data) => dig(data, 'delta', 'text'))),
      reasoning: joinTexts(datas.map((data) => dig(data, 'delta', 'thinking'))),
      calls: starts.map((start) => {
        const own = datas.filter((data) => dig(data, 'index') === dig(start, 'index'))
        const text = joinTexts(own.map((data) => dig(data, 'delta', 'partial_json')))
        return { name: dig(start, 'content_block', 'name'), arguments: JSON.parse(text) }
      }),
      finish: dig(last, 'delta', 'stop_reason'),
      usage: readUsage(dig(last, 'usage')),
    }
  },

  outline: (events) =>
    foldRepeats(
      events.map(({ event, data }) => {
        const kind = dig(data, 'delta', 'type') ?? dig(data, 'content_block', 'type')
        const index = dig(data, 'index')
        return [event, index, kind]
          .filter((word) => word !== undefined)
          .map(String)
          .join(' ')
      }),
    ),
}

function resultMessages({ toolResult }: Ask): readonly object[] {
  if (toolResult === undefined) return []
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: toolResult }
  // Coding agents add remarks after a result; the turn is still about the result.
  const remark = { type: 'text', text: 'Remember to use get_weather.' }
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }],
    },
    { role: 'user', content: [result, remark] },
  ]
}

function readUsage(usage: unknown) {
  const reasoning = Number(dig(usage, 'output_tokens_details', 'thinking_tokens'))
  const output = Number(dig(usage, 'output_tokens')) - reasoning
  return { input: Number(dig(usage, 'input_tokens')), output, reasoning }
}
