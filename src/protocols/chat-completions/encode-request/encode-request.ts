import type { ModelRequest } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { effortFor } from '../../fit/fit-reasoning.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { encodeCacheMark, noteDroppedMarks } from '../values/cache-marks.ts'
import { isFullOpenAi } from './dialect.ts'
import { encodeExtras } from './encode-extras.ts'
import { encodeFormat, encodeSampling } from './encode-options.ts'
import { encodeTools } from './encode-tools.ts'
import { encodeTurns } from './encode-turns.ts'

/** OpenAI rejects longer identifiers, and clients of other protocols send whole documents as identifiers. */
const identifierLengthMax = 64

const serviceTiers = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])

/** The upstream's body. The members that change least come first, because the upstream's cache matches by prefix. */
export function encodeRequest(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  const { responseFormat, instruction } = encodeFormat(request.format, target, notes)
  noteDroppedMarks(request, target, notes)
  return {
    model: target.model,
    messages: encodeTurns(request, instruction, target, notes),
    ...encodeTools(request, target, notes),
    response_format: responseFormat,
    ...encodeLimit(request, target, notes),
    ...encodeSampling(request, target, notes),
    n: request.answers > 1 ? request.answers : undefined,
    ...encodeThinking(request, target, notes),
    logprobs: request.logprobs ? true : undefined,
    top_logprobs: request.logprobs && request.logprobs.top > 0 ? request.logprobs.top : undefined,
    ...encodeHints(request, target, notes),
    ...encodeStream(request, target),
    ...encodeCacheMark(request.cacheMark, target),
    ...encodeExtras(request.extras, target, notes),
  }
}

function encodeLimit(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  const asked = request.outputTokensMax
  if (asked === undefined) return {}
  if (asked > target.outputTokensMax) notes.harmless('outputTokensMax', 'clamped')
  const name = target.traits.outputLimitField ?? 'max_completion_tokens'
  return { [name]: Math.min(asked, target.outputTokensMax) }
}

/**
 * The protocol defines an effort word. Servers that return OpenRouter's details also accept its object, which can
 * express more.
 */
function encodeThinking(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  const { reasoning } = request
  const { traits } = target
  if (!reasoning) return {}
  if (traits.thinking === 'none') {
    if (reasoning.mode !== 'off') notes.harmless('reasoning')
    return {}
  }
  if (traits.reasoningReturn === 'reasoning_details') {
    if (reasoning.mode === 'auto') return { reasoning: { enabled: true } }
    if (reasoning.mode === 'off') return { reasoning: { enabled: false } }
    if (reasoning.mode === 'budget') return { reasoning: { max_tokens: reasoning.budgetTokens } }
  }
  const outputTokensMax = request.outputTokensMax ?? target.outputTokensMax
  return { reasoning_effort: effortFor(reasoning, traits, outputTokensMax) }
}

/** Fields that only OpenAI's own servers know are hints or labels. Compatible servers may reject them. */
function encodeHints(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  if (request.metadata !== undefined) notes.harmless('metadata')
  const { verbosity, serviceTier } = request
  if (!isFullOpenAi(target.traits)) {
    if (verbosity !== undefined) notes.lossy('verbosity')
    if (serviceTier !== undefined) notes.harmless('serviceTier')
    if (request.cacheKey !== undefined) notes.harmless('cacheKey')
    if (request.endUser !== undefined) notes.harmless('endUser')
    return {}
  }
  return {
    verbosity,
    user: bounded(request.endUser, 'endUser', notes),
    prompt_cache_key: bounded(request.cacheKey, 'cacheKey', notes),
    service_tier: encodeTier(serviceTier, notes),
  }
}

function bounded(
  text: string | undefined,
  field: 'endUser' | 'cacheKey',
  notes: Notes,
): string | undefined {
  if (text === undefined || text.length <= identifierLengthMax) return text
  notes.harmless(field)
  return undefined
}

function encodeTier(tier: string | undefined, notes: Notes): string | undefined {
  if (tier === 'standard_only' || tier === 'standard') return 'default'
  if (tier === undefined || serviceTiers.has(tier)) return tier
  notes.harmless('serviceTier')
  return undefined
}

function encodeStream({ isStream }: ModelRequest, { traits }: Target): JsonObject {
  if (!isStream) return {}
  const options = traits.takesStreamOptions === false ? undefined : { include_usage: true }
  return { stream: true, stream_options: options }
}
