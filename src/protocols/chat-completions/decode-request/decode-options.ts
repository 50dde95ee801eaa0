import {
  type Effort,
  efforts,
  type LogprobsRequest,
  type OutputFormat,
  type ReasoningRequest,
  type Sampling,
} from '../../../core/neutral/model-request.ts'
import { jsonTextOf } from '../../../wire/exact-json.ts'
import { countAt, type JsonObject } from '../../../wire/json.ts'
import { readBoolean, readCount, wrongType } from '../../../wire/read-field.ts'
import { readNumber, readObject, readText, requireObject } from '../values/read-field.ts'

export function decodeSampling(body: JsonObject): Sampling {
  const bias = readObject(body, 'logit_bias', '')
  return {
    temperature: readNumber(body, 'temperature'),
    topP: readNumber(body, 'top_p'),
    topK: readNumber(body, 'top_k'),
    seed: readNumber(body, 'seed'),
    stop: decodeStop(body['stop']),
    presencePenalty: readNumber(body, 'presence_penalty'),
    frequencyPenalty: readNumber(body, 'frequency_penalty'),
    logitBias: bias && jsonTextOf(bias),
  }
}

function decodeStop(stop: unknown): string[] | undefined {
  if (stop === undefined || stop === null) return undefined
  const list: unknown[] = Array.isArray(stop) ? stop : [stop]
  const texts = list.filter((each) => typeof each === 'string')
  if (texts.length < list.length) throw wrongType('stop', 'a string or a list of strings')
  return texts.length === 0 ? undefined : texts
}

export function decodeLogprobsRequest(body: JsonObject): LogprobsRequest | undefined {
  const top = readCount(body, 'top_logprobs')
  return readBoolean(body, 'logprobs') === true ? { top: top ?? 0 } : undefined
}

export function decodeFormat(body: JsonObject): OutputFormat | undefined {
  const format = readObject(body, 'response_format', '')
  const path = 'response_format.'
  switch (format?.['type'] ?? 'text') {
    case 'text':
      return undefined
    case 'json_object': {
      // Some clients and servers put the schema beside the older type.
      const schema = format && readObject(format, 'schema', path)
      return schema ? schemaFormat({ schema }, path) : { type: 'json-object' }
    }
    case 'json_schema':
      return schemaFormat(requireObject(format ?? {}, 'json_schema', path), `${path}json_schema.`)
    default:
      throw wrongType(`${path}type`, 'text, json_object or json_schema')
  }
}

function schemaFormat(inner: JsonObject, path: string): OutputFormat {
  const strict = inner['strict'] ?? undefined
  if (strict !== undefined && typeof strict !== 'boolean')
    throw wrongType(`${path}strict`, 'true or false')
  return {
    type: 'json-schema',
    name: readText(inner, 'name', path),
    description: readText(inner, 'description', path),
    schema: jsonTextOf(requireObject(inner, 'schema', path)),
    isStrict: strict,
  }
}

/** The protocol defines `reasoning_effort`. OpenRouter uses `reasoning`; Moonshot, Z.ai and DeepSeek use `thinking`. */
export function decodeReasoning(body: JsonObject): ReasoningRequest | undefined {
  const effort = readText(body, 'reasoning_effort', '')
  if (effort !== undefined) return reasoningOfEffort(effort, 'reasoning_effort')
  return decodeOpenrouterReasoning(body) ?? decodeThinking(body)
}

function reasoningOfEffort(effort: string, name: string): ReasoningRequest {
  // Groq's name for the model's own default.
  if (effort === 'default' || effort === 'auto') return { mode: 'auto' }
  if (!isEffort(effort)) throw wrongType(name, `one of ${efforts.join(', ')}`)
  return effort === 'none' ? { mode: 'off' } : { mode: 'effort', effort }
}

function isEffort(text: string): text is Effort {
  return efforts.some((each) => each === text)
}

function decodeOpenrouterReasoning(body: JsonObject): ReasoningRequest | undefined {
  const reasoning = readObject(body, 'reasoning', '')
  if (!reasoning) return undefined
  const isVisible = reasoning['exclude'] === true ? false : undefined
  const effort = readText(reasoning, 'effort', 'reasoning.')
  if (effort !== undefined) return { ...reasoningOfEffort(effort, 'reasoning.effort'), isVisible }
  const budgetTokens = countAt(reasoning, 'max_tokens')
  if (budgetTokens !== undefined) return { mode: 'budget', budgetTokens, isVisible }
  return { mode: reasoning['enabled'] === false ? 'off' : 'auto', isVisible }
}

function decodeThinking(body: JsonObject): ReasoningRequest | undefined {
  const thinking = readObject(body, 'thinking', '')
  if (!thinking) {
    const isEnabled = readBoolean(body, 'enable_thinking')
    return isEnabled === undefined ? undefined : { mode: isEnabled ? 'auto' : 'off' }
  }
  if (thinking['type'] === 'disabled') return { mode: 'off' }
  const budgetTokens = countAt(thinking, 'budget_tokens')
  return budgetTokens === undefined ? { mode: 'auto' } : { mode: 'budget', budgetTokens }
}
