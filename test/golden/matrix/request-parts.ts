import type { JsonObject } from '../../../src/wire/json.ts'
import type { Bodies } from './request-feature.ts'

export const pixel = 'iVBORw0KGgo='
export const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const classicSchema = { type: 'OBJECT', properties: { city: { type: 'STRING' } } }
export const chatTool = { type: 'function', function: { name: 'weather', parameters: schema } }
export const responsesTool = {
  type: 'function',
  name: 'weather',
  parameters: schema,
  strict: false,
}
export const messagesTool = { name: 'weather', input_schema: schema }
export const generateTools = [
  { functionDeclarations: [{ name: 'weather', parameters: classicSchema }] },
]

export const chatUser = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] })
export const responsesUser = (...content: unknown[]) => ({ input: [{ role: 'user', content }] })
export const generateUser = (...parts: unknown[]) => ({ contents: [{ role: 'user', parts }] })
export const generating = (config: JsonObject) => ({ generationConfig: config })

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
export const ask = { role: 'user', content: 'Hi' }

/** A conversation in which a call was answered. */
export function afterCall(result: {
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

export const withFunctions: Bodies = {
  'chat-completions': { tools: [chatTool] },
  responses: { tools: [responsesTool] },
  messages: { tools: [messagesTool] },
  'generate-content': { tools: generateTools },
}
export const withImage: Bodies = {
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
export const withResult = afterCall({
  chat: 'Sunny',
  responses: 'Sunny',
  messages: { content: 'Sunny' },
  generate: { response: { result: 'Sunny' } },
})
