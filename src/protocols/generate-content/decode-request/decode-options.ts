import type {
  Effort,
  LogprobsRequest,
  OutputFormat,
  ReasoningRequest,
  Sampling,
} from '../../../core/neutral/model-request.ts'
import { jsonTextOf } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { schemaFromGemini } from '../../schema/schema-from-gemini.ts'
import { type SchemaNodes, SchemaWork } from '../../schema/schema-work.ts'
import {
  fieldOf,
  listOrSingle,
  objectOf,
  readNumber,
  readWhole,
  textOf,
} from '../values/read-field.ts'

const path = 'generationConfig'

export function decodeSampling(config: JsonObject): Sampling {
  return {
    temperature: readNumber(config, 'temperature', path),
    topP: readNumber(config, 'topP', path),
    topK: readNumber(config, 'topK', path),
    seed: readNumber(config, 'seed', path),
    stop: decodeStop(config),
    presencePenalty: readNumber(config, 'presencePenalty', path),
    frequencyPenalty: readNumber(config, 'frequencyPenalty', path),
  }
}

/** Some libraries send an empty list instead of omitting it. */
function decodeStop(config: JsonObject): readonly string[] | undefined {
  const list = listOrSingle(fieldOf(config, 'stopSequences'))
  if (list.length === 0) return undefined
  return list.map((word, index) => {
    if (typeof word !== 'string') throw wrongType(`${path}.stopSequences[${index}]`, 'a string')
    return word
  })
}

export function decodeLogprobsRequest(config: JsonObject): LogprobsRequest | undefined {
  if (fieldOf(config, 'responseLogprobs') !== true) return undefined
  return { top: readWhole(config, 'logprobs', path) ?? 0 }
}

/** Undefined for plain text, and for formats that only this protocol has (lists of words, speech): see `extras`. */
export function decodeFormat(config: JsonObject, nodes: SchemaNodes): OutputFormat | undefined {
  const mime = textOf(config, 'responseMimeType')
  if (mime !== undefined && mime !== 'application/json') return undefined
  const schema =
    fieldOf(config, 'responseJsonSchema') ??
    fieldOf(config, '_responseJsonSchema') ??
    fieldOf(config, 'responseSchema')
  if (isObject(schema)) {
    return {
      type: 'json-schema',
      name: undefined,
      description: undefined,
      schema: schemaFromGemini(jsonTextOf(schema), new SchemaWork(`${path}.responseSchema`, nodes)),
      isStrict: undefined,
    }
  }
  return mime === undefined ? undefined : { type: 'json-object' }
}

const levels: Readonly<Record<string, Effort>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
}

export function decodeReasoning(config: JsonObject): ReasoningRequest | undefined {
  const thinking = objectOf(config, 'thinkingConfig')
  if (!thinking) return undefined
  const shown = fieldOf(thinking, 'includeThoughts')
  const isVisible = typeof shown === 'boolean' ? shown : undefined
  const effort = levels[textOf(thinking, 'thinkingLevel')?.toUpperCase() ?? '']
  if (effort) return { mode: 'effort', effort, isVisible }
  const budgetTokens = readNumber(thinking, 'thinkingBudget', `${path}.thinkingConfig`)
  if (budgetTokens === 0) return { mode: 'off', isVisible }
  if (budgetTokens !== undefined && budgetTokens > 0) {
    return { mode: 'budget', budgetTokens, isVisible }
  }
  // A negative budget lets the model decide. Hiding reasoning is not a request for reasoning.
  return budgetTokens !== undefined || isVisible ? { mode: 'auto', isVisible } : undefined
}
