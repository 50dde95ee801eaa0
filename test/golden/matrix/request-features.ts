import type { ProtocolName } from '../../../src/core/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

/** What a client may ask for, as members of its own body; absent where its protocol has no word for it. */
export interface RequestFeature {
  readonly name: string
  readonly bodies: Bodies
  /** The same without the feature, where that is more than the plainest request. */
  readonly without?: Bodies
  /** Upstreams that have no switch for it and do so, or not, by themselves. */
  readonly byItself?: readonly ProtocolName[]
}

export type Bodies = Readonly<Partial<Record<ProtocolName, JsonObject>>>

const pixel = 'iVBORw0KGgo='
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const classicSchema = { type: 'OBJECT', properties: { city: { type: 'STRING' } } }
const chatTool = { type: 'function', function: { name: 'weather', parameters: schema } }
const responsesTool = { type: 'function', name: 'weather', parameters: schema, strict: false }
const messagesTool = { name: 'weather', input_schema: schema }
const generateTools = [{ functionDeclarations: [{ name: 'weather', parameters: classicSchema }] }]

const chatUser = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] })
const responsesUser = (...content: unknown[]) => ({ input: [{ role: 'user', content }] })
const generateUser = (...parts: unknown[]) => ({ contents: [{ role: 'user', parts }] })
const generating = (config: JsonObject) => ({ generationConfig: config })

const chatCall = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
  ],
}
const responsesCall = {
  type: 'function_call',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{"city":"Rome"}',
}
const messagesCall = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } }],
}
const generateCall = {
  role: 'model',
  parts: [{ functionCall: { name: 'weather', args: { city: 'Rome' } } }],
}
const ask = { role: 'user', content: 'Hi' }

/** A conversation in which a call was answered. */
function afterCall(result: {
  readonly chat?: unknown
  readonly responses?: unknown
  readonly messages?: JsonObject
  readonly generate?: JsonObject
}): Bodies {
  const { chat, responses, messages, generate } = result
  const chatResult = { role: 'tool', tool_call_id: 'call_1', content: chat }
  const output = { type: 'function_call_output', call_id: 'call_1', output: responses }
  const block = { type: 'tool_result', tool_use_id: 'toolu_1', ...messages }
  const response = { functionResponse: { name: 'weather', ...generate } }
  return {
    ...(chat ? { 'chat-completions': { messages: [ask, chatCall, chatResult] } } : {}),
    ...(responses ? { responses: { input: [ask, responsesCall, output] } } : {}),
    ...(messages
      ? { messages: { messages: [ask, messagesCall, { role: 'user', content: [block] }] } }
      : {}),
    ...(generate
      ? {
          'generate-content': {
            contents: [
              { role: 'user', parts: [{ text: 'Hi' }] },
              generateCall,
              { role: 'user', parts: [response] },
            ],
          },
        }
      : {}),
  }
}

const withFunctions: Bodies = {
  'chat-completions': { tools: [chatTool] },
  responses: { tools: [responsesTool] },
  messages: { tools: [messagesTool] },
  'generate-content': { tools: generateTools },
}
const withImage: Bodies = {
  'chat-completions': chatUser({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${pixel}` },
  }),
  responses: responsesUser({ type: 'input_image', image_url: `data:image/png;base64,${pixel}` }),
  messages: chatUser({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: pixel },
  }),
  'generate-content': generateUser({ inlineData: { mimeType: 'image/png', data: pixel } }),
}
const withResult = afterCall({
  chat: 'Sunny',
  responses: 'Sunny',
  messages: { content: 'Sunny' },
  generate: { response: { result: 'Sunny' } },
})

const conversation: readonly RequestFeature[] = [
  {
    name: 'system prompt',
    bodies: {
      'chat-completions': { messages: [{ role: 'system', content: 'Be brief.' }, ask] },
      responses: { instructions: 'Be brief.' },
      messages: { system: 'Be brief.' },
      'generate-content': { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
    },
  },
  {
    name: 'system message later on',
    bodies: {
      'chat-completions': { messages: [ask, { role: 'system', content: 'Be brief.' }, ask] },
      responses: { input: [ask, { role: 'developer', content: 'Be brief.' }, ask] },
      messages: { messages: [ask, { role: 'system', content: 'Be brief.' }, ask] },
    },
  },
  {
    name: 'image, inline',
    bodies: withImage,
  },
  {
    name: 'image by address',
    bodies: {
      'chat-completions': chatUser({
        type: 'image_url',
        image_url: { url: 'https://example.com/a.png' },
      }),
      responses: responsesUser({ type: 'input_image', image_url: 'https://example.com/a.png' }),
      messages: chatUser({
        type: 'image',
        source: { type: 'url', url: 'https://example.com/a.png' },
      }),
      'generate-content': generateUser({
        fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' },
      }),
    },
  },
  {
    name: 'how closely to look at an image',
    without: withImage,
    bodies: {
      'chat-completions': chatUser({
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${pixel}`, detail: 'low' },
      }),
      responses: responsesUser({
        type: 'input_image',
        image_url: `data:image/png;base64,${pixel}`,
        detail: 'low',
      }),
    },
  },
  {
    name: 'PDF, inline',
    bodies: {
      'chat-completions': chatUser({
        type: 'file',
        file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      }),
      responses: responsesUser({
        type: 'input_file',
        filename: 'a.pdf',
        file_data: 'data:application/pdf;base64,JVBERi0=',
      }),
      messages: chatUser({
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
      }),
      'generate-content': generateUser({
        inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' },
      }),
    },
  },
  {
    name: 'document of text',
    bodies: {
      messages: chatUser({
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'Grass is green.' },
      }),
    },
  },
  {
    name: 'audio',
    bodies: {
      'chat-completions': chatUser({
        type: 'input_audio',
        input_audio: { data: 'UklGRg==', format: 'wav' },
      }),
      'generate-content': generateUser({ inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }),
    },
  },
  {
    name: 'video',
    bodies: {
      'generate-content': generateUser({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }),
    },
  },
  {
    name: 'file uploaded to the vendor',
    bodies: {
      'chat-completions': chatUser({ type: 'file', file: { file_id: 'file-1' } }),
      responses: responsesUser({ type: 'input_file', file_id: 'file-1' }),
      messages: chatUser({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    },
  },
  {
    name: 'answer begun for the model',
    bodies: {
      'chat-completions': { messages: [ask, { role: 'assistant', content: 'Once' }] },
      messages: { messages: [ask, { role: 'assistant', content: 'Once' }] },
      'generate-content': {
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }] },
          { role: 'model', parts: [{ text: 'Once' }] },
        ],
      },
    },
  },
]

const tools: readonly RequestFeature[] = [
  {
    name: 'functions',
    bodies: withFunctions,
  },
  {
    name: 'functions, strict',
    without: withFunctions,
    bodies: {
      'chat-completions': {
        tools: [{ ...chatTool, function: { ...chatTool.function, strict: true } }],
      },
      responses: { tools: [{ ...responsesTool, strict: true }] },
      messages: { tools: [{ ...messagesTool, strict: true }] },
    },
  },
  {
    name: 'custom tool',
    bodies: {
      'chat-completions': { tools: [{ type: 'custom', custom: { name: 'run' } }] },
      responses: { tools: [{ type: 'custom', name: 'run' }] },
    },
  },
  {
    name: 'custom tool with a grammar',
    without: {
      'chat-completions': { tools: [{ type: 'custom', custom: { name: 'run' } }] },
      responses: { tools: [{ type: 'custom', name: 'run' }] },
    },
    bodies: {
      'chat-completions': {
        tools: [
          {
            type: 'custom',
            custom: {
              name: 'run',
              format: { type: 'grammar', grammar: { syntax: 'regex', definition: 'a+' } },
            },
          },
        ],
      },
      responses: {
        tools: [
          {
            type: 'custom',
            name: 'run',
            format: { type: 'grammar', syntax: 'regex', definition: 'a+' },
          },
        ],
      },
    },
  },
  {
    name: 'namespace of tools',
    bodies: {
      responses: {
        tools: [{ type: 'namespace', name: 'sky', description: 'Sky', tools: [responsesTool] }],
      },
    },
  },
  {
    name: 'web search by the vendor',
    bodies: {
      'chat-completions': { web_search_options: {} },
      responses: { tools: [{ type: 'web_search' }] },
      messages: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'generate-content': { tools: [{ googleSearch: {} }] },
    },
  },
  {
    name: 'another tool of the vendor’s, beside functions',
    without: withFunctions,
    bodies: {
      responses: { tools: [responsesTool, { type: 'image_generation' }] },
      messages: {
        tools: [messagesTool, { type: 'code_execution_20250825', name: 'code_execution' }],
      },
      'generate-content': { tools: [...generateTools, { codeExecution: {} }] },
    },
  },
  {
    name: 'a tool must be called',
    without: withFunctions,
    bodies: {
      'chat-completions': { tools: [chatTool], tool_choice: 'required' },
      responses: { tools: [responsesTool], tool_choice: 'required' },
      messages: { tools: [messagesTool], tool_choice: { type: 'any' } },
      'generate-content': {
        tools: generateTools,
        toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      },
    },
  },
  {
    name: 'this tool must be called',
    without: withFunctions,
    bodies: {
      'chat-completions': {
        tools: [chatTool],
        tool_choice: { type: 'function', function: { name: 'weather' } },
      },
      responses: { tools: [responsesTool], tool_choice: { type: 'function', name: 'weather' } },
      messages: { tools: [messagesTool], tool_choice: { type: 'tool', name: 'weather' } },
      'generate-content': {
        tools: generateTools,
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } },
      },
    },
  },
  {
    name: 'no tool may be called',
    without: withFunctions,
    bodies: {
      'chat-completions': { tools: [chatTool], tool_choice: 'none' },
      responses: { tools: [responsesTool], tool_choice: 'none' },
      messages: { tools: [messagesTool], tool_choice: { type: 'none' } },
      'generate-content': {
        tools: generateTools,
        toolConfig: { functionCallingConfig: { mode: 'NONE' } },
      },
    },
  },
  {
    name: 'one call at a time',
    without: withFunctions,
    bodies: {
      'chat-completions': { tools: [chatTool], parallel_tool_calls: false },
      responses: { tools: [responsesTool], parallel_tool_calls: false },
      messages: {
        tools: [messagesTool],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      },
    },
  },
  {
    name: 'call and result',
    bodies: withResult,
  },
  {
    name: 'result that is an error',
    without: afterCall({
      messages: { content: 'No such city' },
      generate: { response: { result: 'No such city' } },
    }),
    bodies: afterCall({
      messages: { content: 'No such city', is_error: true },
      generate: { response: { error: 'No such city' } },
    }),
  },
  {
    name: 'result with an image',
    without: withResult,
    bodies: afterCall({
      responses: [{ type: 'input_image', image_url: `data:image/png;base64,${pixel}` }],
      messages: {
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        ],
      },
      generate: {
        response: { result: 'Look' },
        parts: [{ inlineData: { mimeType: 'image/png', data: pixel } }],
      },
    }),
  },
]

export const requestFeatures: readonly RequestFeature[] = [...conversation, ...tools]
export { generating, schema }
