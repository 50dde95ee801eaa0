import type { Effort, ModelRequest } from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { budgetFor, effortFor } from '../../fit/fit-reasoning.ts'
import type { Notes } from '../../notes.ts'
import { schemaForGemini } from '../../schema/schema-for-gemini.ts'
import type { Target } from '../../translation.ts'
import { answersMax } from '../values/answers-max.ts'

const stopMaxUsual = 5
const seedMax = 2_147_483_647
const logprobsMax = 20

/** The members of `generationConfig`. Undefined members are not written. */
export function encodeOptions(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  if (request.sampling.logitBias !== undefined) notes.lossy('logitBias')
  return {
    maxOutputTokens: encodeLimit(request, target, notes),
    ...encodeSampling(request, target, notes),
    candidateCount: encodeAnswers(request, notes),
    stopSequences: encodeStop(request, target, notes),
    seed: encodeSeed(request, notes),
    ...encodeLogprobs(request),
    ...encodeFormat(request, target, notes),
    thinkingConfig: encodeThinking(request, target, notes),
    mediaResolution: encodeResolution(request, notes),
  }
}

function encodeLimit(
  { outputTokensMax }: ModelRequest,
  target: Target,
  notes: Notes,
): number | undefined {
  if (outputTokensMax === undefined || outputTokensMax <= target.outputTokensMax) {
    return outputTokensMax
  }
  notes.harmless('outputTokensMax', 'clamped')
  return target.outputTokensMax
}

function encodeSampling({ sampling }: ModelRequest, { traits }: Target, notes: Notes): JsonObject {
  const { temperature, topP, topK, presencePenalty, frequencyPenalty } = sampling
  const penalties = { presencePenalty, frequencyPenalty }
  if (traits.takesSampling !== false) return { temperature, topP, topK, ...penalties }
  if (temperature !== undefined) notes.lossy('temperature')
  if (topP !== undefined) notes.lossy('topP')
  if (topK !== undefined) notes.lossy('topK')
  return penalties
}

function encodeAnswers({ answers }: ModelRequest, notes: Notes): number | undefined {
  if (answers <= answersMax) return answers === 1 ? undefined : answers
  return notes.refuse(
    'answers',
    `The upstream of this model returns at most ${answersMax} choices per request. Request fewer.`,
  )
}

function encodeStop(
  { sampling }: ModelRequest,
  { traits }: Target,
  notes: Notes,
): readonly string[] | undefined {
  const stopMax = traits.stopMax ?? stopMaxUsual
  if ((sampling.stop?.length ?? 0) <= stopMax) return sampling.stop
  return notes.refuse(
    'stop',
    `The upstream of this model accepts at most ${stopMax} stop sequences. Send fewer.`,
  )
}

/** A seed has 32 bits here. */
function encodeSeed({ sampling }: ModelRequest, notes: Notes): number | undefined {
  const { seed } = sampling
  if (seed === undefined) return undefined
  if (Number.isInteger(seed) && Math.abs(seed) <= seedMax) return seed
  notes.lossy('seed')
  return undefined
}

function encodeLogprobs({ logprobs }: ModelRequest): JsonObject {
  if (!logprobs) return {}
  const top = Math.min(logprobs.top, logprobsMax)
  return { responseLogprobs: true, logprobs: top === 0 ? undefined : top }
}

function encodeFormat({ format }: ModelRequest, { traits }: Target, notes: Notes): JsonObject {
  if (!format) return {}
  const responseMimeType = 'application/json'
  if (format.type === 'json-object') return { responseMimeType }
  const form = traits.schemaForm ?? 'json'
  const schema = new RawJson(schemaForGemini(format.schema, form, notes.schemaWork('format')))
  return form === 'json'
    ? { responseMimeType, responseJsonSchema: schema }
    : { responseMimeType, responseSchema: schema }
}

const levels: Readonly<Record<Effort, string>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}

function encodeThinking(
  { reasoning, outputTokensMax }: ModelRequest,
  { traits, outputTokensMax: mostTokens }: Target,
  notes: Notes,
): JsonObject | undefined {
  if (!reasoning) return undefined
  if (traits.thinking === 'none') {
    if (reasoning.mode !== 'off') notes.harmless('reasoning')
    return undefined
  }
  const includeThoughts =
    reasoning.isVisible === true && reasoning.mode !== 'off' ? true : undefined
  const limit = Math.min(outputTokensMax ?? mostTokens, mostTokens)
  // Models that reason by level also accept a budget, and follow it better than a guessed level.
  if (traits.thinking === 'budget' || reasoning.mode === 'budget') {
    const budget = budgetFor(reasoning, traits, limit)
    return filled({ includeThoughts, thinkingBudget: budget === 'off' ? 0 : budget })
  }
  const effort = effortFor(reasoning, traits, limit)
  return filled({ includeThoughts, thinkingLevel: effort && levels[effort] })
}

function filled(value: JsonObject): JsonObject | undefined {
  return Object.values(value).some((member) => member !== undefined) ? value : undefined
}

const resolutions: Readonly<Record<string, string>> = {
  low: 'MEDIA_RESOLUTION_LOW',
  high: 'MEDIA_RESOLUTION_HIGH',
}

/** One resolution applies to all images of the request. If the images differ, none is sent. */
function encodeResolution({ turns }: ModelRequest, notes: Notes): string | undefined {
  const details = new Set<string | undefined>()
  for (const turn of turns) {
    for (const part of turn.parts) if (part.type === 'media') details.add(part.detail)
  }
  const requested = [...details].map((detail) => resolutions[detail ?? ''])
  if (requested.length <= 1) return requested[0]
  if (requested.some((each) => each !== undefined)) notes.harmless('messages', 'detail_dropped')
  return undefined
}
