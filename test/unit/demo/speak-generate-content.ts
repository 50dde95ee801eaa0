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

export const speakGenerateContent: SpokenProtocol = {
  name: 'generate-content',
  path: '/v1beta/models/any-model:generateContent',
  streamPath: '/v1beta/models/any-model:streamGenerateContent?alt=sse',
  finishWords: { stop: 'STOP', length: 'MAX_TOKENS', calls: 'STOP' },
  faultMessagePath: ['error', 'message'],

  ask: (ask) => ({
    contents: [{ role: 'user', parts: [{ text: ask.prompt }] }, ...resultContents(ask)],
    ...(ask.offersTools === true
      ? {
          tools: [
            {
              functionDeclarations: toolNames.map((name) => ({
                name,
                parametersJsonSchema: weatherSchema,
              })),
            },
          ],
        }
      : {}),
    ...(ask.forcedTool === undefined
      ? {}
      : {
          toolConfig: {
            functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [ask.forcedTool] },
          },
        }),
    generationConfig: {
      ...(ask.isStructured === true
        ? { responseMimeType: 'application/json', responseJsonSchema: weatherSchema }
        : {}),
      ...(ask.reasons === true ? { thinkingConfig: { includeThoughts: true } } : {}),
      ...(ask.outputTokensMax === undefined ? {} : { maxOutputTokens: ask.outputTokensMax }),
    },
  }),

  readReply: (reply) => read([reply]),
  readEvents: (events) => read(events.map(({ data }) => data)),

  outline: (events) =>
    foldRepeats(
      events.map(({ data }) => {
        const part = dig(data, 'candidates', 0, 'content', 'parts', 0)
        if (dig(data, 'candidates', 0, 'finishReason') !== undefined) return 'finish'
        if (dig(part, 'functionCall') !== undefined) {
          return `call ${String(dig(part, 'functionCall', 'name'))}`
        }
        return dig(part, 'thought') === true ? 'thought' : 'text'
      }),
    ),
}

function read(responses: readonly unknown[]): Told {
  const parts = responses.flatMap((response) =>
    list(dig(response, 'candidates', 0, 'content', 'parts')),
  )
  const isThought = (part: unknown) => dig(part, 'thought') === true
  const last = responses.at(-1)
  return {
    text: joinTexts(parts.filter((part) => !isThought(part)).map((part) => dig(part, 'text'))),
    reasoning: joinTexts(parts.filter(isThought).map((part) => dig(part, 'text'))),
    calls: parts
      .map((part) => dig(part, 'functionCall'))
      .filter((call) => call !== undefined)
      .map((call) => ({ name: dig(call, 'name'), arguments: dig(call, 'args') })),
    finish: dig(last, 'candidates', 0, 'finishReason'),
    usage: {
      input: Number(dig(last, 'usageMetadata', 'promptTokenCount')),
      output: Number(dig(last, 'usageMetadata', 'candidatesTokenCount')),
      reasoning: Number(dig(last, 'usageMetadata', 'thoughtsTokenCount') ?? 0),
    },
  }
}

function resultContents({ toolResult }: Ask): readonly object[] {
  if (toolResult === undefined) return []
  const response = { name: 'get_weather', response: { result: toolResult } }
  return [
    { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: response }] },
  ]
}
