import type { JsonObject } from '../../../src/wire/json.ts'

const ephemeral = { type: 'ephemeral' }

/** 30 tools with long descriptions, some with deferred loading, as the agent declares them. */
const tools = Array.from({ length: 30 }, (_, index) => ({
  name: index === 0 ? 'Bash' : `mcp__workspace__tool_${index}`,
  description: `${index}. ${'Runs a command and reports what it wrote, line by line. '.repeat(50)}`,
  input_schema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      command: { type: 'string', description: 'What to run' },
      timeout: { type: 'number', exclusiveMinimum: 0, maximum: 600_000 },
      lines: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    },
    required: ['command'],
    additionalProperties: false,
  },
  ...(index > 20 ? { defer_loading: true } : {}),
}))

export const claudeCodeHeaders = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': [
    'claude-code-20250219',
    'interleaved-thinking-2025-05-14',
    'context-management-2025-06-27',
    'advanced-tool-use-2025-11-20',
    'effort-2025-11-24',
    'mid-conversation-tool-changes-2026-07-01',
  ].join(','),
  'x-app': 'cli',
  'anthropic-dangerous-direct-browser-access': 'true',
}

/** The second request of a session: one call has its result, and a reminder is between the turns. */
export function claudeCodeBody(model: string): JsonObject {
  return {
    model,
    max_tokens: 32_000,
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.325' },
      { type: 'text', text: 'You are a coding agent.', cache_control: ephemeral },
      { type: 'text', text: 'Environment: linux.', cache_control: { ...ephemeral, ttl: '1h' } },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'List the files.' }] },
      { role: 'system', content: 'Remember: answer in English.' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I will look.' },
          { type: 'tool_use', id: 'toolu_01abc', name: 'Bash', input: { command: 'ls' } },
        ],
        output_config: { effort: 'medium' },
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_01abc', content: 'README.md\nsrc' },
          { type: 'text', text: 'And now?', cache_control: ephemeral },
        ],
      },
      { role: 'system', content: [{ type: 'text', text: 'The user opened README.md.' }] },
    ],
    tools,
    thinking: { type: 'adaptive' },
    output_config: { effort: 'high' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    metadata: { user_id: JSON.stringify({ device_id: 'd1', session_id: 's1' }) },
    stream: true,
  }
}

/** The request that creates the title of a session. */
export function claudeCodeTitleBody(model: string): JsonObject {
  return {
    model,
    max_tokens: 1_000,
    temperature: 1,
    system: [{ type: 'text', text: 'Find a title.' }],
    messages: [{ role: 'user', content: 'List the files.' }],
    tools: [],
    thinking: { type: 'disabled' },
    output_config: {
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { title: { type: 'string' } },
          required: ['title'],
          additionalProperties: false,
        },
      },
    },
    stream: true,
  }
}
