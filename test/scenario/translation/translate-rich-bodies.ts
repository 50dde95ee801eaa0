import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const schema = {
  type: 'object',
  properties: { city: { type: 'string', enum: ['Łódź'] }, days: { type: ['integer', 'null'] } },
  required: ['city'],
  additionalProperties: false,
}

/** A request of each protocol with nearly every field that clients send. */
export const richBodies: Readonly<Record<ProtocolName, (model: string) => JsonObject>> = {
  'chat-completions': (model) => ({
    model,
    max_completion_tokens: 64,
    temperature: 0.5,
    stop: ['END'],
    user: 'u1',
    reasoning_effort: 'low',
    stream_options: { include_usage: true },
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } },
    tools: [
      { type: 'function', function: { name: 'look_up', description: 'd', parameters: schema } },
    ],
    tool_choice: { type: 'function', function: { name: 'look_up' } },
    parallel_tool_calls: false,
    messages: [
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          {
            type: 'image_url',
            image_url: { url: `data:image/png;base64,${pixel}`, detail: 'low' },
          },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 's', index: 0 }],
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'look_up', arguments: '{"city":"Łódź"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ],
  }),
  responses: (model) => ({
    model,
    max_output_tokens: 64,
    instructions: 'Be kind.',
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'low', summary: 'auto' },
    text: { verbosity: 'low', format: { type: 'json_schema', name: 'x', schema, strict: true } },
    tools: [
      { type: 'function', name: 'look_up', description: 'd', parameters: schema, strict: false },
    ],
    tool_choice: { type: 'function', name: 'look_up' },
    metadata: { a: 'b' },
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'low' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'function_call', call_id: 'c1', name: 'look_up', arguments: '{"city":"Łódź"}' },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [{ type: 'input_text', text: 'sunny' }],
      },
    ],
  }),
  messages: (model) => ({
    model,
    max_tokens: 64,
    system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    stop_sequences: ['END'],
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    output_config: { effort: 'low', format: { type: 'json_schema', schema } },
    metadata: { user_id: 'u1' },
    tools: [{ name: 'look_up', description: 'd', input_schema: schema }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.', cache_control: { type: 'ephemeral' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'tool_use', id: 'c1', name: 'look_up', input: { city: 'Łódź' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c1',
            content: [{ type: 'text', text: 'sunny' }],
            is_error: false,
          },
        ],
      },
    ],
  }),
  'generate-content': () => ({
    systemInstruction: { parts: [{ text: 'Be kind.' }] },
    generationConfig: {
      maxOutputTokens: 64,
      temperature: 0.5,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 },
    },
    tools: [
      {
        functionDeclarations: [{ name: 'look_up', description: 'd', parametersJsonSchema: schema }],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look_up'] } },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: pixel } }],
      },
      {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          {
            functionCall: { id: 'c1', name: 'look_up', args: { city: 'Łódź' } },
            thoughtSignature: 'AAAA',
          },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'c1', name: 'look_up', response: { result: 'sunny' } } }],
      },
    ],
  }),
}
