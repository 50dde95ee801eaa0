import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

/** A feature of an upstream's reply. The client's reply must contain the mark. */
export interface ReplyFeature {
  readonly name: string
  readonly mark: string
  readonly replies: Readonly<Partial<Record<ProtocolName, unknown>>>
}

const text = 'Hello'

function chat(message: JsonObject, more: JsonObject = {}, usage: JsonObject = {}): unknown {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, ...message },
        finish_reason: 'stop',
        ...more,
      },
    ],
    usage: { prompt_tokens: 90, completion_tokens: 80, total_tokens: 170, ...usage },
  }
}

function responses(items: readonly unknown[], usage: JsonObject = {}): unknown {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output: items,
    usage: { input_tokens: 90, output_tokens: 80, total_tokens: 170, ...usage },
  }
}

function responsesText(part: JsonObject): unknown {
  const content = [{ type: 'output_text', text, annotations: [], ...part }]
  return { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content }
}

function messages(
  content: readonly unknown[],
  more: JsonObject = {},
  usage: JsonObject = {},
): unknown {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 90, output_tokens: 80, ...usage },
    ...more,
  }
}

function generate(
  parts: readonly unknown[],
  more: JsonObject = {},
  usage: JsonObject = {},
): unknown {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...more }],
    usageMetadata: {
      promptTokenCount: 90,
      candidatesTokenCount: 80,
      totalTokenCount: 170,
      ...usage,
    },
  }
}

const link = 'https://example.com/source'
const logprob = { token: 'Hello', logprob: -0.625, bytes: [72], top_logprobs: [] }

export const replyFeatures: readonly ReplyFeature[] = [
  {
    name: 'text',
    mark: 'Hello',
    replies: {
      'chat-completions': chat({}),
      responses: responses([responsesText({})]),
      messages: messages([{ type: 'text', text }]),
      'generate-content': generate([{ text }]),
    },
  },
  {
    name: 'reasoning',
    mark: 'I wonder',
    replies: {
      'chat-completions': chat({ reasoning_content: 'I wonder' }),
      responses: responses([
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'I wonder' }] },
        responsesText({}),
      ]),
      messages: messages([
        { type: 'thinking', thinking: 'I wonder', signature: 's' },
        { type: 'text', text },
      ]),
      'generate-content': generate([{ text: 'I wonder', thought: true }, { text }]),
    },
  },
  {
    name: 'function call',
    mark: 'Rome',
    replies: {
      'chat-completions': chat({
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"city":"Rome"}' } },
        ],
      }),
      responses: responses([
        {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'c1',
          name: 'f',
          arguments: '{"city":"Rome"}',
        },
      ]),
      messages: messages([{ type: 'tool_use', id: 'c1', name: 'f', input: { city: 'Rome' } }]),
      'generate-content': generate([{ functionCall: { name: 'f', args: { city: 'Rome' } } }]),
    },
  },
  {
    name: 'refusal',
    mark: 'I must not',
    replies: {
      'chat-completions': chat({ content: null, refusal: 'I must not' }),
      responses: responses([
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          content: [{ type: 'refusal', refusal: 'I must not' }],
        },
      ]),
      messages: messages([], {
        stop_reason: 'refusal',
        stop_details: { type: 'refusal', category: null, explanation: 'I must not' },
      }),
      'generate-content': generate([], { finishReason: 'SAFETY', finishMessage: 'I must not' }),
    },
  },
  {
    name: 'citations',
    mark: link,
    replies: {
      'chat-completions': chat({
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: link, title: 'a', start_index: 0, end_index: 5 },
          },
        ],
      }),
      responses: responses([
        responsesText({
          annotations: [
            { type: 'url_citation', url: link, title: 'a', start_index: 0, end_index: 5 },
          ],
        }),
      ]),
      messages: messages([
        {
          type: 'text',
          text,
          citations: [
            {
              type: 'web_search_result_location',
              url: link,
              title: 'a',
              cited_text: 'b',
              encrypted_index: 'c',
            },
          ],
        },
      ]),
      'generate-content': generate([{ text }], {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: link, title: 'a' } }],
          groundingSupports: [
            { segment: { startIndex: 0, endIndex: 5, text }, groundingChunkIndices: [0] },
          ],
        },
      }),
    },
  },
  {
    name: 'log probabilities',
    mark: '-0.625',
    replies: {
      'chat-completions': chat({}, { logprobs: { content: [logprob], refusal: null } }),
      responses: responses([responsesText({ logprobs: [logprob] })]),
      'generate-content': generate([{ text }], {
        logprobsResult: {
          chosenCandidates: [{ token: 'Hello', logProbability: -0.625 }],
          topCandidates: [{ candidates: [{ token: 'Hello', logProbability: -0.625 }] }],
        },
      }),
    },
  },
  {
    name: 'generated image',
    mark: 'iVBORw0KGgo',
    replies: {
      'chat-completions': chat({
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
      }),
      responses: responses([
        {
          type: 'image_generation_call',
          id: 'ig_1',
          status: 'completed',
          output_format: 'png',
          result: 'iVBORw0KGgo=',
        },
      ]),
      'generate-content': generate([
        { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
      ]),
    },
  },
  {
    name: 'matched stop sequence',
    mark: 'THE-END',
    replies: {
      messages: messages([{ type: 'text', text }], {
        stop_reason: 'stop_sequence',
        stop_sequence: 'THE-END',
      }),
    },
  },
  {
    name: 'cache read tokens',
    mark: '37',
    replies: {
      'chat-completions': chat({}, {}, { prompt_tokens_details: { cached_tokens: 37 } }),
      responses: responses([responsesText({})], { input_tokens_details: { cached_tokens: 37 } }),
      messages: messages([{ type: 'text', text }], {}, { cache_read_input_tokens: 37 }),
      'generate-content': generate([{ text }], {}, { cachedContentTokenCount: 37 }),
    },
  },
  {
    name: 'cache write tokens',
    mark: '37',
    replies: {
      'chat-completions': chat({}, {}, { prompt_tokens_details: { cache_write_tokens: 37 } }),
      responses: responses([responsesText({})], {
        input_tokens_details: { cache_write_tokens: 37 },
      }),
      messages: messages([{ type: 'text', text }], {}, { cache_creation_input_tokens: 37 }),
    },
  },
  {
    name: 'reasoning tokens',
    mark: '37',
    replies: {
      'chat-completions': chat({}, {}, { completion_tokens_details: { reasoning_tokens: 37 } }),
      responses: responses([responsesText({})], {
        output_tokens_details: { reasoning_tokens: 37 },
      }),
      messages: messages(
        [{ type: 'text', text }],
        {},
        { output_tokens_details: { thinking_tokens: 37 } },
      ),
      'generate-content': generate(
        [{ text }],
        {},
        { candidatesTokenCount: 43, thoughtsTokenCount: 37, totalTokenCount: 170 },
      ),
    },
  },
]
