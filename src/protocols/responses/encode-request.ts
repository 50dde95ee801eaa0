import type { ModelRequest, OutputFormat } from '../../core/model-request.ts'
import { RawJson } from '../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import { effortFor } from '../fit/fit-reasoning.ts'
import type { Notes } from '../notes.ts'
import type { Target } from '../translation.ts'
import { noteMark } from './encode-content.ts'
import { encodeItems } from './encode-items.ts'
import { encodeTools } from './encode-tools.ts'

const outputTokensMin = 16
/** The vendor rejects longer identifiers. */
const identifierCharactersMax = 64

/** Nothing is stored at the upstream: reasoning comes back sealed, and the next request includes it. */
export function encodeRequest(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  noteUnsayable(request, notes)
  return {
    model: target.model,
    instructions: encodeInstructions(request, notes),
    input: encodeItems(request.turns, target, notes),
    ...encodeTools(request, notes),
    max_output_tokens: encodeLimit(request, target, notes),
    ...encodeSampling(request, target, notes),
    text: encodeText(request),
    reasoning: encodeReasoning(request, target, notes),
    include: encodeInclude(request, target),
    top_logprobs: request.logprobs && request.logprobs.top > 0 ? request.logprobs.top : undefined,
    store: false,
    stream: request.isStream ? true : undefined,
    ...encodeLabels(request, notes),
    ...encodeExtras(request, notes),
    ...(target.calls?.together === undefined ? {} : { max_tool_calls: target.calls.together }),
  }
}

function noteUnsayable({ sampling, answers, cacheMark }: ModelRequest, notes: Notes): void {
  if (answers > 1) {
    notes.refuse('answers', 'The upstream of this model gives one answer at a time. Ask for one.')
  }
  if (sampling.topK !== undefined) notes.lossy('topK')
  if (sampling.seed !== undefined) notes.lossy('seed')
  if (sampling.stop !== undefined && sampling.stop.length > 0) notes.lossy('stop')
  if (sampling.presencePenalty !== undefined && sampling.presencePenalty !== 0) {
    notes.lossy('presencePenalty')
  }
  if (sampling.frequencyPenalty !== undefined && sampling.frequencyPenalty !== 0) {
    notes.lossy('frequencyPenalty')
  }
  if (sampling.logitBias !== undefined && sampling.logitBias !== '{}') notes.lossy('logitBias')
  noteMark({ cacheMark }, notes)
}

function encodeInstructions({ system }: ModelRequest, notes: Notes): string | undefined {
  for (const part of system) noteMark(part, notes)
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

function encodeSampling(request: ModelRequest, { traits }: Target, notes: Notes): JsonObject {
  const { temperature, topP } = request.sampling
  if (traits.takesSampling !== false) return { temperature, top_p: topP }
  if (temperature !== undefined) notes.lossy('temperature')
  if (topP !== undefined) notes.lossy('topP')
  return {}
}

function encodeText({ format, verbosity }: ModelRequest): JsonObject | undefined {
  if (!format && verbosity === undefined) return undefined
  return { format: format && encodeFormat(format), verbosity }
}

function encodeFormat(format: OutputFormat): JsonObject {
  if (format.type === 'json-object') return { type: 'json_object' }
  return {
    type: 'json_schema',
    name: formatName(format.name),
    description: format.description,
    schema: new RawJson(format.schema),
    strict: format.isStrict ?? false,
  }
}

/** A name is required, with the characters of a tool name. */
function formatName(name: string | undefined): string {
  const cleaned = (name ?? '').replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, identifierCharactersMax)
  return cleaned === '' ? 'response' : cleaned
}

function encodeReasoning(
  { reasoning, outputTokensMax }: ModelRequest,
  target: Target,
  notes: Notes,
): JsonObject | undefined {
  if (!reasoning) return undefined
  if (target.traits.thinking === 'none') {
    if (reasoning.mode !== 'off') notes.harmless('reasoning')
    return undefined
  }
  const effort = effortFor(reasoning, target.traits, outputTokensMax ?? target.outputTokensMax)
  const summary = reasoning.isVisible === true ? 'auto' : undefined
  return effort === undefined && summary === undefined ? undefined : { effort, summary }
}

function encodeInclude({ logprobs }: ModelRequest, { traits }: Target): string[] | undefined {
  const include: string[] = []
  if (traits.thinking !== 'none') include.push('reasoning.encrypted_content')
  if (logprobs) include.push('message.output_text.logprobs')
  return include.length === 0 ? undefined : include
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

/** Fields that mean the same in both of OpenAI's protocols. */
const shared = ['max_tool_calls', 'prompt_cache_options', 'prompt_cache_retention']
/** Storage and delivery of the answer; the gateway handles both. */
const harmless = ['client_metadata', 'labels', 'prediction', 'store', 'stream_options']

function encodeExtras({ extras }: ModelRequest, notes: Notes): JsonObject {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(extras)) {
    if (shared.includes(name)) kept[name] = value
    else if (harmless.includes(name)) notes.harmless('extras', `${name}_dropped`)
    else notes.lossy('extras', `${name}_dropped`)
  }
  return kept
}
