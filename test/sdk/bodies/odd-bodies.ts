import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

/** A request exactly as a client writes it, without its model. */
export interface OddBody {
  readonly name: string
  readonly protocol: ProtocolName
  readonly body: JsonObject
}

const prompt = 'How is the weather in Rome?'
const parameters = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
  additionalProperties: false,
}
const said = { role: 'user', content: prompt }
const tool = { name: 'get_weather', description: 'The weather.' }
const chatTool = { type: 'function', function: { ...tool, parameters } }
const responsesTool = { type: 'function', ...tool, parameters, strict: false }

/** Hosted tools beside functions. Not every upstream has them, and the request must not fail because of that. */
export const hostedBodies: readonly OddBody[] = [
  {
    name: 'cline',
    protocol: 'responses',
    body: {
      input: [said],
      tools: [responsesTool, { type: 'web_search' }, { type: 'image_generation' }],
      include: ['web_search_call.action.sources'],
      truncation: 'auto',
    },
  },
  {
    name: 'cline',
    protocol: 'messages',
    body: {
      max_tokens: 8_192,
      messages: [said],
      tools: [
        { ...tool, input_schema: parameters, eager_input_streaming: true },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
      ],
    },
  },
  {
    name: 'cline',
    protocol: 'generate-content',
    body: {
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      tools: [
        { functionDeclarations: [{ ...tool, parametersJsonSchema: parameters }] },
        { googleSearch: {} },
      ],
    },
  },
  {
    name: 'codex',
    protocol: 'responses',
    body: {
      input: [said],
      tools: [
        responsesTool,
        { type: 'web_search', external_web_access: true },
        { type: 'tool_search' },
      ],
    },
  },
]

/** Nulls, empty values and deprecated fields. */
export const emptyBodies: readonly OddBody[] = [
  {
    name: 'LangChain',
    protocol: 'chat-completions',
    body: {
      messages: [{ ...said, name: null }],
      stream: false,
      tools: [{ ...chatTool, function: { ...chatTool.function, strict: null } }],
      stop: null,
      n: 1,
      user: null,
      logit_bias: null,
      parallel_tool_calls: null,
      frequency_penalty: 0,
    },
  },
  {
    name: 'LangChain',
    protocol: 'responses',
    body: {
      input: [{ type: 'message', ...said }],
      stream: false,
      text: {},
      tools: [{ ...responsesTool, strict: null }],
    },
  },
  {
    name: 'LangChain',
    protocol: 'messages',
    body: {
      max_tokens: 2_048,
      messages: [said],
      stream: false,
      stop_sequences: [],
      tools: [{ ...tool, input_schema: parameters }],
      top_k: null,
    },
  },
  {
    name: 'LangChain',
    protocol: 'generate-content',
    body: {
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      systemInstruction: { role: 'system', parts: [{ text: 'Be brief.' }] },
      safetySettings: [],
      generationConfig: { stopSequences: [] },
      tools: [{ functionDeclarations: [{ ...tool, parameters }] }],
    },
  },
  {
    name: 'llamaindex',
    protocol: 'responses',
    body: {
      input: [said],
      include: null,
      previous_response_id: null,
      reasoning: {},
      user: '',
      tools: [responsesTool],
      metadata: null,
      instructions: null,
    },
  },
  {
    name: 'agents',
    protocol: 'responses',
    body: { input: [said], include: [], tools: [], instructions: '', text: { format: null } },
  },
  {
    name: 'copilot',
    protocol: 'chat-completions',
    body: {
      messages: [said, { role: 'assistant', content: 'Which Rome?', refusal: null }, said],
      temperature: 0,
      top_p: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
      tools: [chatTool],
    },
  },
  {
    name: 'kimi',
    protocol: 'messages',
    body: {
      max_tokens: 4_096,
      messages: [said],
      metadata: { user_id: 'u1' },
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      tools: [{ ...tool, input_schema: parameters, cache_control: { type: 'ephemeral' } }],
    },
  },
  {
    name: 'qwen',
    protocol: 'generate-content',
    body: {
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      generationConfig: {
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' },
      },
      tools: [{ functionDeclarations: [{ ...tool, parametersJsonSchema: parameters }] }],
    },
  },
  {
    name: 'qwen',
    protocol: 'messages',
    body: {
      max_tokens: 40_000,
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 32_000 },
      messages: [said],
      tools: [{ ...tool, input_schema: parameters, cache_control: { type: 'ephemeral' } }],
    },
  },
  {
    name: 'opencode',
    protocol: 'responses',
    body: {
      input: [said],
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'ses_1',
      text: { verbosity: 'low' },
      reasoning: { effort: 'medium', summary: 'auto' },
      tools: [responsesTool],
    },
  },
]

/** Output limits above those of any model. */
export const greedyBodies: readonly OddBody[] = [
  {
    name: 'kimi',
    protocol: 'chat-completions',
    body: { messages: [said], max_tokens: 131_072, prompt_cache_key: 'k1' },
  },
  { name: 'kimi', protocol: 'responses', body: { input: [said], max_output_tokens: 200_000 } },
  { name: 'kimi', protocol: 'messages', body: { messages: [said], max_tokens: 200_000 } },
  {
    name: 'kimi',
    protocol: 'generate-content',
    body: {
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      generationConfig: { maxOutputTokens: 200_000 },
    },
  },
]
