import {
  type Ask,
  dig,
  foldRepeats,
  joinTexts,
  list,
  type SpokenProtocol,
  type Told,
  toolNames,
  weatherSchema,
} from './spoken-protocol.ts'

export const speakResponses: SpokenProtocol = {
  name: 'responses',
  path: '/v1/responses',
  streamPath: '/v1/responses',
  finishWords: { stop: 'completed', length: 'incomplete', calls: 'completed' },
  faultMessagePath: ['error', 'message'],

  ask: (ask, stream) => ({
    model: 'any-model',
    input: [{ role: 'user', content: ask.prompt }, ...resultItems(ask)],
    ...(stream ? { stream } : {}),
    ...(ask.offersTools === true
      ? { tools: toolNames.map((name) => ({ type: 'function', name, parameters: weatherSchema })) }
      : {}),
    ...(ask.forcedTool === undefined
      ? {}
      : { tool_choice: { type: 'function', name: ask.forcedTool } }),
    ...(ask.isStructured === true
      ? { text: { format: { type: 'json_schema', name: 'x', schema: weatherSchema } } }
      : {}),
    ...(ask.reasons === true ? { reasoning: { effort: 'low', summary: 'auto' } } : {}),
    ...(ask.outputTokensMax === undefined ? {} : { max_output_tokens: ask.outputTokensMax }),
  }),

  readReply,

  readEvents: (events) => {
    const deltas = (type: string) =>
      joinTexts(events.filter(({ event }) => event === type).map(({ data }) => dig(data, 'delta')))
    const told = readReply(dig(events.at(-1)?.data, 'response'))
    // The text is repeated three times; the pieces are checked here, and the whole is read from the end.
    return {
      ...told,
      text: deltas('response.output_text.delta'),
      reasoning: deltas('response.reasoning_summary_text.delta'),
    }
  },

  outline: (events) =>
    foldRepeats(events.map(({ event }) => String(event).replace('response.', ''))),
}

function readReply(reply: unknown): Told {
  const items = list(dig(reply, 'output'))
  const ofType = (type: string) => items.filter((item) => dig(item, 'type') === type)
  return {
    text: joinTexts(ofType('message').map((item) => dig(item, 'content', 0, 'text'))),
    reasoning: joinTexts(ofType('reasoning').map((item) => dig(item, 'summary', 0, 'text'))),
    calls: ofType('function_call').map((item) => ({
      name: dig(item, 'name'),
      arguments: JSON.parse(String(dig(item, 'arguments'))),
    })),
    finish: dig(reply, 'status'),
    usage: readUsage(dig(reply, 'usage')),
  }
}

function resultItems({ toolResult }: Ask): readonly object[] {
  if (toolResult === undefined) return []
  return [
    { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: toolResult },
  ]
}

function readUsage(usage: unknown) {
  const reasoning = Number(dig(usage, 'output_tokens_details', 'reasoning_tokens'))
  const output = Number(dig(usage, 'output_tokens')) - reasoning
  return { input: Number(dig(usage, 'input_tokens')), output, reasoning }
}
