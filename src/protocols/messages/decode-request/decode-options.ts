import {
  efforts,
  type OutputFormat,
  type ReasoningRequest,
  type Sampling,
} from '../../../core/neutral/model-request.ts'
import { jsonTextOf } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'

export function decodeSampling(value: JsonObject): Sampling {
  return {
    temperature: numberAt(value, 'temperature'),
    topP: numberAt(value, 'top_p'),
    topK: numberAt(value, 'top_k'),
    stop: decodeStop(value),
  }
}

/** A client that sends `thinking` wants to read the reasoning, unless `display` says otherwise. */
export function decodeReasoning(value: JsonObject): ReasoningRequest | undefined {
  const requested = stringAt(objectAt(value, 'output_config') ?? {}, 'effort')
  const effort = efforts.find((each) => each === requested)
  const thinking = objectAt(value, 'thinking')
  if (!thinking) return effort && { mode: 'effort', effort }
  if (thinking['type'] === 'disabled') return { mode: 'off', ...(effort ? { effort } : {}) }
  const isVisible = thinking['display'] !== 'omitted'
  const budgetTokens = thinking['budget_tokens']
  if (thinking['type'] === 'enabled' && typeof budgetTokens === 'number') {
    return { mode: 'budget', budgetTokens, isVisible }
  }
  return effort ? { mode: 'effort', effort, isVisible } : { mode: 'auto', isVisible }
}

/** `output_format` is the older field. */
export function decodeFormat(value: JsonObject): OutputFormat | undefined {
  const config = objectAt(value, 'output_config')
  const format = (config && objectAt(config, 'format')) ?? objectAt(value, 'output_format')
  if (format?.['type'] !== 'json_schema') return undefined
  const schema = format['schema'] ?? undefined
  if (typeof schema !== 'object' || Array.isArray(schema)) {
    throw wrongType('output_config.format.schema', 'an object')
  }
  return {
    type: 'json-schema',
    name: stringAt(format, 'name'),
    description: undefined,
    schema: jsonTextOf(schema),
    isStrict: undefined,
  }
}

function decodeStop(value: JsonObject): readonly string[] | undefined {
  const stop = value['stop_sequences'] ?? undefined
  if (!Array.isArray(stop) || stop.length === 0) return undefined
  return stop.map((sequence: unknown, index) => {
    if (typeof sequence !== 'string') throw wrongType(`stop_sequences[${index}]`, 'a string')
    return sequence
  })
}

export function decodeEndUser(value: JsonObject): string | undefined {
  const metadata = value['metadata']
  return isObject(metadata) ? stringAt(metadata, 'user_id') : undefined
}

/** In the neutral form the standard tier is called `default`. */
export function decodeServiceTier(value: JsonObject): string | undefined {
  const tier = stringAt(value, 'service_tier')
  return tier === 'standard_only' ? 'default' : tier
}

function numberAt(value: JsonObject, name: string): number | undefined {
  const field = value[name]
  return typeof field === 'number' ? field : undefined
}
