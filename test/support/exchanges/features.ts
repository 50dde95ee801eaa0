import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'

/** Why a protocol has no exchange of a feature. */
type Gaps = Partial<Readonly<Record<ProtocolName, string>>>

const noStop = { responses: 'has no stop sequences' }
const oneChoice = { responses: 'returns one choice', messages: 'returns one choice' }
const functionsOnly = {
  messages: 'has function tools only',
  'generate-content': 'has function tools only',
}

/** Every protocol must have an exchange of every feature, unless the protocol lacks the feature. */
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
  'custom-tool': functionsOnly,
  'tool-result': {},
  'tool-result-error': {},
  'tool-result-image': {},
  'json-schema': {},
  'json-object': { messages: 'has JSON output by schema only' },
  'image-inline': {},
  'image-url': {},
  'file-input': {},
  'audio-input': { responses: 'takes no audio', messages: 'takes no audio' },
  'audio-output': { responses: 'returns no audio', messages: 'returns no audio' },
  'image-output': {
    'chat-completions': 'returns no images',
    messages: 'returns no images',
  },
  reasoning: {},
  'reasoning-tool-loop': {},
  refusal: {},
  'safety-block': {},
  citations: {},
  logprobs: { messages: 'reports no log probabilities' },
  'cached-tokens': {},
  'several-choices': oneChoice,
  'web-search': {},
  unicode: {},
  'unknown-members': {},
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
    'chat-completions': 'uses 503',
    responses: 'uses 503',
    'generate-content': 'uses 503',
  },
  'error-mid-stream': {},
  'truncated-stream': {},
}

/** Features that exist in one form only; every other feature has a whole reply and a stream. */
export const oneForm: Readonly<Record<string, 'whole' | 'stream'>> = {
  'streamed-arguments': 'stream',
  'audio-output': 'whole',
  'image-output': 'whole',
  'keep-alive': 'stream',
  'count-tokens': 'whole',
  models: 'whole',
  'error-mid-stream': 'stream',
  'truncated-stream': 'stream',
}
