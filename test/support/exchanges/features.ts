import type { ProtocolName } from '../../../src/core/protocol-name.ts'

/** Why a protocol has no exchange of a feature. */
type Gaps = Partial<Readonly<Record<ProtocolName, string>>>

const noStop = { responses: 'has no stop sequences' }
const oneAnswer = { responses: 'gives one answer', messages: 'gives one answer' }
const freeFormTools = {
  messages: 'has functions with a schema only',
  'generate-content': 'has functions with a schema only',
}

/** Every feature that must have an exchange in each protocol, save those that a protocol does not have. */
export const features: Readonly<Record<string, Gaps>> = {
  text: {},
  'system-prompt': {},
  'multi-turn': {},
  sampling: {},
  'stop-sequence': noStop,
  'max-tokens': {},
  'tool-call': {},
  'parallel-tool-calls': {},
  'forced-tool-choice': {},
  'streamed-arguments': {},
  'custom-tool': freeFormTools,
  'tool-result': {},
  'tool-result-error': {},
  'tool-result-image': {},
  'json-schema': {},
  'json-object': { messages: 'has JSON by a schema only' },
  'image-inline': {},
  'image-url': {},
  'file-input': {},
  'audio-input': { responses: 'does not hear', messages: 'does not hear' },
  'audio-output': {
    responses: 'does not speak',
    messages: 'does not speak',
    'generate-content': 'speaks with models of their own, which the gateway passes through only',
  },
  reasoning: {},
  'reasoning-tool-loop': {},
  refusal: {},
  'safety-block': {},
  citations: {},
  logprobs: { messages: 'tells no probabilities' },
  'cached-tokens': {},
  'several-choices': oneAnswer,
  'web-search': {},
  unicode: {},
  'keep-alive': {},
  'no-usage': {},
  'count-tokens': { 'chat-completions': 'has no such endpoint' },
  models: {},
  'error-400': {},
  'error-401': {},
  'error-403': {},
  'error-404': {},
  'error-413': {},
  'error-429': {},
  'error-500': {},
  'error-503': {},
  'error-529': {
    'chat-completions': 'says 503',
    responses: 'says 503',
    'generate-content': 'says 503',
  },
  'error-mid-stream': {},
  'truncated-stream': {},
}

/** Features that are told in one form only: the others have a whole reply and a stream. */
export const oneForm: Readonly<Record<string, 'whole' | 'stream'>> = {
  'streamed-arguments': 'stream',
  'audio-output': 'whole',
  'keep-alive': 'stream',
  'count-tokens': 'whole',
  models: 'whole',
  'error-mid-stream': 'stream',
  'truncated-stream': 'stream',
}
