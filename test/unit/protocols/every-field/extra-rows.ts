import type { ProtocolName } from '../../../../src/core/neutral/protocol-name.ts'
import { type Arrival, dropped, type RequestRow } from './request-row.ts'

/** Fields without a neutral form, with the protocols that write them. Every other protocol drops them with a warning. */
const fields: readonly (readonly [
  name: string,
  value: unknown,
  writers: readonly ProtocolName[],
])[] = [
  ['audio', { voice: 'alloy', format: 'wav' }, ['chat-completions']],
  ['min_p', 0.1, ['chat-completions']],
  ['modalities', ['text', 'audio'], ['chat-completions']],
  ['plugins', [{ id: 'web' }], ['chat-completions']],
  ['prediction', { type: 'content', content: 'Hi' }, ['chat-completions']],
  ['provider', { order: ['a'] }, ['chat-completions']],
  ['repetition_penalty', 1.1, ['chat-completions']],
  ['top_a', 0.1, ['chat-completions']],
  ['transforms', ['middle-out'], ['chat-completions']],
  ['moderation', 'low', ['chat-completions']],
  ['prompt_cache_options', { mode: 'explicit' }, ['chat-completions', 'responses']],
  ['prompt_cache_retention', '24h', ['chat-completions', 'responses']],
  ['max_tool_calls', 3, ['responses']],
  ['container', 'container_1', ['messages']],
  ['inference_geo', 'us', ['messages']],
  ['speed', 'fast', ['messages']],
  ['context_management', { edits: [] }, ['messages']],
  ['mcp_servers', [{ type: 'url', name: 'a', url: 'https://a.example' }], ['messages']],
  ['fallbacks', ['other-model'], ['messages']],
  ['diagnostics', { level: 1 }, ['messages']],
  [
    'safetySettings',
    [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    ['generate-content'],
  ],
  ['cachedContent', 'cachedContents/1', ['generate-content']],
  ['labels', { team: 'blue' }, ['generate-content']],
  ['generationConfig', { speechConfig: { languageCode: 'en-US' } }, ['generate-content']],
  ['toolConfig', { retrievalConfig: { languageCode: 'en' } }, ['generate-content']],
  ['store', true, []],
  ['client_metadata', { a: 'b' }, []],
]

function arrivalOf(name: string, value: unknown, isWriter: boolean): Arrival {
  if (!isWriter) return dropped(`${name}_dropped`)
  return { body: { [name]: value }, warnings: [], isBeyondSchema: true, reads: {} }
}

export const extraRows: readonly RequestRow[] = fields.map(([name, value, writers]) => {
  const arrival = (protocol: ProtocolName) => arrivalOf(name, value, writers.includes(protocol))
  return {
    sent: { extras: { [name]: value } },
    arrives: {
      'chat-completions': arrival('chat-completions'),
      responses: arrival('responses'),
      messages: arrival('messages'),
      'generate-content': arrival('generate-content'),
    },
  }
})
