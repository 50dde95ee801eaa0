import type { ModelRequest } from '../../../core/neutral/model-request.ts'
import { parseKeepingText } from '../../../wire/exact-json.ts'
import { isObject, objectAt } from '../../../wire/json.ts'
import type { JsonBody, RequestFacts } from '../../request-facts.ts'
import { decodeCacheMark } from '../values/cache-marks.ts'
import { decodeExtras } from './decode-extras.ts'
import {
  decodeEndUser,
  decodeFormat,
  decodeReasoning,
  decodeSampling,
  decodeServiceTier,
} from './decode-options.ts'
import { decodeParallelCalls, decodeToolChoice, decodeTools } from './decode-tools.ts'
import { clientMembers, decodeTurns } from './decode-turns.ts'
import { applyToolChanges } from './tool-changes.ts'

export function decodeRequest(body: JsonBody, facts: RequestFacts): ModelRequest {
  const parsed = parseKeepingText(body.text, clientMembers, body.value)
  const value = isObject(parsed) ? parsed : body.value
  const choice = objectAt(value, 'tool_choice')
  const { system, turns } = decodeTurns(value)
  return {
    model: facts.model,
    isStream: facts.isStream,
    system,
    turns,
    tools: applyToolChanges(decodeTools(value['tools']), value['messages']),
    toolChoice: decodeToolChoice(choice),
    parallelCalls: decodeParallelCalls(choice),
    outputTokensMax: facts.outputTokensMax,
    sampling: decodeSampling(value),
    answers: 1,
    format: decodeFormat(value),
    reasoning: decodeReasoning(value),
    logprobs: undefined,
    verbosity: undefined,
    endUser: decodeEndUser(value),
    cacheKey: undefined,
    serviceTier: decodeServiceTier(value),
    metadata: undefined,
    cacheMark: decodeCacheMark(value['cache_control']),
    extras: decodeExtras(value),
  }
}
