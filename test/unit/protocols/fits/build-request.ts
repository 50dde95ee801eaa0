import type {
  ModelRequest,
  Part,
  ToolCallPart,
  ToolResultPart,
  Turn,
  TurnRole,
} from '../../../../src/core/neutral/model-request.ts'
import type { FieldNames } from '../../../../src/protocols/field-names.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import type { ToolRules } from '../../../../src/protocols/translation.ts'

/** A request with only the given parts. */
export function requestOf(parts: Partial<ModelRequest>): ModelRequest {
  return {
    model: 'some-model',
    isStream: false,
    system: [],
    turns: [],
    tools: [],
    toolChoice: undefined,
    parallelCalls: undefined,
    outputTokensMax: undefined,
    sampling: {},
    answers: 1,
    format: undefined,
    reasoning: undefined,
    logprobs: undefined,
    verbosity: undefined,
    endUser: undefined,
    cacheKey: undefined,
    serviceTier: undefined,
    metadata: undefined,
    cacheMark: undefined,
    extras: {},
    ...parts,
  }
}

export function turn(role: TurnRole, ...parts: Part[]): Turn {
  return { role, parts }
}

export function text(words: string): Part {
  return { type: 'text', text: words }
}

export function call(id: string, name: string, rest: Partial<ToolCallPart> = {}): ToolCallPart {
  return { type: 'tool-call', id, name, form: 'function', argumentsText: '{}', ...rest }
}

export function result(callId: string, rest: Partial<ToolResultPart> = {}): ToolResultPart {
  return {
    type: 'tool-result',
    callId,
    form: 'function',
    parts: [{ type: 'text', text: `answer to ${callId}` }],
    isError: false,
    ...rest,
  }
}

const fieldNames: FieldNames = {
  answers: 'n',
  cacheKey: 'prompt_cache_key',
  cacheMark: 'cache_control',
  endUser: 'user',
  extras: 'extras',
  format: 'response_format',
  frequencyPenalty: 'frequency_penalty',
  logitBias: 'logit_bias',
  logprobs: 'logprobs',
  messages: 'messages',
  metadata: 'metadata',
  outputTokensMax: 'max_tokens',
  parallelCalls: 'parallel_tool_calls',
  presencePenalty: 'presence_penalty',
  reasoning: 'reasoning_effort',
  seed: 'seed',
  serviceTier: 'service_tier',
  stop: 'stop',
  system: 'system',
  temperature: 'temperature',
  toolChoice: 'tool_choice',
  tools: 'tools',
  topK: 'top_k',
  topP: 'top_p',
  verbosity: 'verbosity',
}

export function lenient(): Notes {
  return new Notes(fieldNames, false)
}

export function strict(): Notes {
  return new Notes(fieldNames, true)
}

/** An upstream that knows only plain functions. */
export const plainRules: ToolRules = {
  nameLengthMax: 64,
  namePattern: /^[a-zA-Z0-9_-]+$/,
  callIdLengthMax: 64,
  callIdPattern: /^[a-zA-Z0-9_-]+$/,
  takesCustomTools: false,
  takesNamespaces: false,
}
