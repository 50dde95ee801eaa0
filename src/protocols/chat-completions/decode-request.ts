import type { ModelRequest } from '../../core/model-request.ts'
import { jsonTextOf, parseKeepingText } from '../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'
import { readBoolean } from '../../wire/read-field.ts'
import type { JsonBody, RequestFacts } from '../request-facts.ts'
import { decodeCacheMark } from './cache-marks.ts'
import {
  decodeFormat,
  decodeLogprobsRequest,
  decodeReasoning,
  decodeSampling,
} from './decode-options.ts'
import { decodeToolChoice, decodeTools } from './decode-tools.ts'
import { decodeTurns } from './decode-turns.ts'
import { readObject, readText } from './read-field.ts'

/** Members with JSON that the gateway carries without reading. */
const kept = new Set(['parameters', 'schema', 'arguments', 'logit_bias', 'metadata'])

/** Fields that the neutral form has; all others are extras. */
const named = new Set(
  (
    'model messages stream stream_options max_completion_tokens max_tokens temperature top_p top_k n stop seed ' +
    'tools tool_choice parallel_tool_calls functions function_call web_search_options response_format ' +
    'reasoning_effort reasoning thinking enable_thinking verbosity logprobs top_logprobs logit_bias ' +
    'frequency_penalty presence_penalty user safety_identifier prompt_cache_key service_tier metadata cache_control'
  ).split(' '),
)

export function decodeRequest(body: JsonBody, facts: RequestFacts): ModelRequest {
  const parsed = parseKeepingText(body.text, kept, body.value)
  const value = isObject(parsed) ? parsed : body.value
  const messages = Array.isArray(value['messages']) ? value['messages'] : []
  const metadata = readObject(value, 'metadata', '')
  return {
    model: facts.model,
    isStream: facts.isStream,
    ...decodeTurns(messages),
    tools: decodeTools(value),
    toolChoice: decodeToolChoice(value),
    parallelCalls: isLegacy(value) ? false : readBoolean(value, 'parallel_tool_calls'),
    outputTokensMax: facts.outputTokensMax,
    sampling: decodeSampling(value),
    answers: facts.answers,
    format: decodeFormat(value),
    reasoning: decodeReasoning(value),
    logprobs: decodeLogprobsRequest(value),
    verbosity: readText(value, 'verbosity', ''),
    endUser: readText(value, 'safety_identifier', '') ?? readText(value, 'user', ''),
    cacheKey: readText(value, 'prompt_cache_key', ''),
    serviceTier: readText(value, 'service_tier', ''),
    metadata: metadata && jsonTextOf(metadata),
    cacheMark: decodeCacheMark(value),
    extras: { ...decodeExtras(value), ...(messages.some(hasName) ? { [speakers]: true } : {}) },
  }
}

/**
 * No other protocol distinguishes speakers of one role. As a separate field, the loss becomes a warning like any other.
 */
const speakers = 'messages.name'

function hasName(message: unknown): boolean {
  if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) {
    return false
  }
  return typeof message['name'] === 'string' && message['name'] !== ''
}

/** A client that offers tools in the older form accepts one call at a time, in the older form. */
export function isLegacy(body: JsonObject): boolean {
  return Array.isArray(body['functions']) && !Array.isArray(body['tools'])
}

function decodeExtras(value: JsonObject): Record<string, unknown> {
  const extras: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (!named.has(name) && member !== null) extras[name] = member
  }
  return extras
}
