import type { ModelRequest } from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../wire/json.ts'
import { countCacheMarks } from '../../measure/count-cache-marks.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { encodeExtras } from './encode-extras.ts'
import {
  encodeInclude,
  encodeReasoning,
  encodeSampling,
  encodeTextOptions,
  identifierCharactersMax,
  noteForeign,
} from './encode-options.ts'
import { encodeTools } from './encode-tools.ts'
import { encodeTurns } from './encode-turns.ts'

const outputTokensMin = 16

/** Nothing is stored at the upstream: reasoning comes back sealed, and the next request includes it. */
export function encodeRequest(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  noteUnsupported(request, notes)
  return {
    model: target.model,
    instructions: encodeInstructions(request),
    input: encodeTurns(request.turns, target, notes),
    ...encodeTools(request, notes),
    max_output_tokens: encodeLimit(request, target, notes),
    ...encodeSampling(request, target, notes),
    text: encodeTextOptions(request),
    reasoning: encodeReasoning(request, target, notes),
    include: encodeInclude(request, target),
    top_logprobs: request.logprobs && request.logprobs.top > 0 ? request.logprobs.top : undefined,
    store: false,
    stream: request.isStream ? true : undefined,
    ...encodeLabels(request, notes),
    ...encodeExtras(request.extras, notes),
    ...(target.calls?.together === undefined ? {} : { max_tool_calls: target.calls.together }),
  }
}

function noteUnsupported(request: ModelRequest, notes: Notes): void {
  if (request.answers > 1) {
    notes.refuse(
      'answers',
      'The upstream of this model returns one choice per request. Request one.',
    )
  }
  noteForeign(request.sampling, notes)
  // The vendors of this protocol find the shared prefix themselves.
  if (countCacheMarks(request) > 0) notes.harmless('cacheMark')
}

function encodeInstructions({ system }: ModelRequest): string | undefined {
  const texts = system.map(({ text }) => text).filter((text) => text !== '')
  return texts.length === 0 ? undefined : texts.join('\n\n')
}

function encodeLimit(request: ModelRequest, target: Target, notes: Notes): number | undefined {
  const requested = request.outputTokensMax
  if (requested === undefined) return undefined
  if (requested > target.outputTokensMax) {
    notes.harmless('outputTokensMax', 'clamped')
    return target.outputTokensMax
  }
  if (requested >= outputTokensMin) return requested
  notes.lossy('outputTokensMax', 'clamped')
  return outputTokensMin
}

const serviceTiers: Readonly<Record<string, string>> = {
  auto: 'auto',
  default: 'default',
  fast: 'fast',
  flex: 'flex',
  priority: 'priority',
  scale: 'scale',
  standard_only: 'default',
}

function encodeLabels(request: ModelRequest, notes: Notes): JsonObject {
  const { serviceTier } = request
  const tier = serviceTier === undefined ? undefined : serviceTiers[serviceTier]
  if (serviceTier !== undefined && tier === undefined) notes.harmless('serviceTier')
  return {
    user: fitting(request.endUser, () => notes.harmless('endUser')),
    prompt_cache_key: fitting(request.cacheKey, () => notes.harmless('cacheKey')),
    service_tier: tier,
    metadata: encodeMetadata(request, notes),
  }
}

function fitting(text: string | undefined, note: () => void): string | undefined {
  if (text === undefined || text.length <= identifierCharactersMax) return text
  note()
  return undefined
}

function encodeMetadata({ metadata }: ModelRequest, notes: Notes): RawJson | undefined {
  if (metadata === undefined) return undefined
  const value = parseJson(metadata)
  if (isObject(value) && Object.values(value).every((each) => typeof each === 'string')) {
    return new RawJson(metadata)
  }
  notes.harmless('metadata')
  return undefined
}
