import type { JsonObject } from '../../../src/wire/json.ts'

const definition = [
  'start: begin hunk+ end',
  'begin: "*** Begin Patch" LF',
  'hunk: /.+/ LF',
  'end: "*** End Patch" LF?',
].join('\n')

export const applyPatch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Changes files.',
  format: { type: 'grammar', syntax: 'lark', definition },
} as const

const exec = {
  type: 'function',
  name: 'exec_command',
  description: 'Runs a command.',
  strict: false,
  parameters: {
    type: 'object',
    properties: { cmd: { type: 'string' }, yield_time_ms: { type: 'number' } },
    required: ['cmd'],
    additionalProperties: false,
  },
} as const

/** A namespace of tools: those of one server that the agent is connected to. */
export const filesNamespace = {
  type: 'namespace',
  name: 'mcp__files',
  description: 'Files of the project.',
  tools: [{ ...exec, name: 'read_file' }, applyPatch],
} as const

export const patch = '*** Begin Patch\n*** Add File: a "b".txt\n+Grüße\\n\n*** End Patch\n'

export const codexHeaders = {
  originator: 'codex_exec',
  'session-id': '0199a1b2',
  'x-client-request-id': '0199a1b2',
  accept: 'text/event-stream',
}

/** A first request: no instructions, but developer messages with ids. */
export function codexBody(model: string, more: JsonObject = {}): JsonObject {
  return {
    model,
    input: [
      {
        type: 'message',
        id: 'msg_dev1',
        role: 'developer',
        content: [{ type: 'input_text', text: 'You are a coding agent.' }],
      },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'Write a file.' }],
      },
    ],
    tools: [exec, applyPatch, { type: 'web_search', external_web_access: false }],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'medium', summary: 'auto', context: 'all_turns' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '0199a1b2',
    text: { verbosity: 'low' },
    client_metadata: { 'x-codex-installation-id': 'i1' },
    ...more,
  }
}

/** Newer models get no `tools`: the tools are an item of the input. */
export function codexLiteBody(model: string): JsonObject {
  const { tools: _tools, input, ...rest } = codexBody(model)
  const item = { type: 'additional_tools', role: 'developer', tools: [filesNamespace] }
  return { ...rest, input: [item, ...(Array.isArray(input) ? input : [])] }
}
