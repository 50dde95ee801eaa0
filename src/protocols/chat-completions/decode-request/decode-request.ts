import type { ModelRequest } from '../../../core/neutral/model-request.ts'
import { jsonTextOf, parseKeepingText } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { readBoolean } from '../../../wire/read-field.ts'
import type { JsonBody, RequestFacts } from '../../request-facts.ts'
import { decodeCacheMark } from '../values/cache-marks.ts'
import { readObject, readText } from '../values/read-field.ts'
import {
  decodeFormat,
  decodeLogprobsRequest,
  decodeReasoning,
  decodeSampling,
} from './decode-options.ts'
import { decodeToolChoice, decodeTools } from './decode-tools.ts'
import { decodeTurns } from './decode-turns.ts'

/** Members with JSON that the gateway carries without reading. */
const kept = new Set(['parameters', 'schema', 'arguments', 'logit_bias', 'metadata'])

import { decodeExtras } from './decode-extras.ts'

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
    extras: decodeExtras(value, messages),
  }
}

/** A client that offers tools in the older form accepts one call at a time, in the older form. */
export function isLegacy(body: JsonObject): boolean {
  return Array.isArray(body['functions']) && !Array.isArray(body['tools'])
}
