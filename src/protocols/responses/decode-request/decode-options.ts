import type {
  LogprobsRequest,
  OutputFormat,
  Sampling,
} from '../../../core/neutral/model-request.ts'
import { type Effort, efforts, type ReasoningRequest } from '../../../core/neutral/model-request.ts'
import { jsonTextOf, plainOf } from '../../../wire/exact-json.ts'
import { countAt, isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import type { JsonBody } from '../../request-facts.ts'
import { exactMember } from './exact-member.ts'

export function decodeSampling(value: JsonObject): Sampling {
  return { temperature: numberAt(value, 'temperature'), topP: numberAt(value, 'top_p') }
}

function numberAt(value: JsonObject, name: string): number | undefined {
  const field = value[name]
  return typeof field === 'number' ? field : undefined
}

export function decodeFormat(body: JsonBody): OutputFormat | undefined {
  const plain = objectAt(objectAt(body.value, 'text') ?? {}, 'format')
  if (!plain || plain['type'] === 'text') return undefined
  if (plain['type'] === 'json_object') return { type: 'json-object' }
  if (plain['type'] !== 'json_schema') {
    throw wrongType('text.format.type', '"text", "json_object" or "json_schema"')
  }
  const text = exactMember(body, 'text')
  const format = isObject(text) ? (objectAt(text, 'format') ?? plain) : plain
  if (!isObject(plainOf(format['schema']))) throw wrongType('text.format.schema', 'an object')
  return {
    type: 'json-schema',
    name: stringAt(format, 'name'),
    description: stringAt(format, 'description'),
    schema: jsonTextOf(format['schema']),
    isStrict: typeof format['strict'] === 'boolean' ? format['strict'] : undefined,
  }
}

export function decodeLogprobsRequest(value: JsonObject): LogprobsRequest | undefined {
  const top = countAt(value, 'top_logprobs') ?? 0
  const include = Array.isArray(value['include']) ? value['include'] : []
  return top > 0 || include.includes('message.output_text.logprobs') ? { top } : undefined
}

/** Compatible servers' names for the model's own default. */
const defaults: ReadonlySet<unknown> = new Set(['default', 'auto'])

/** An empty object requests nothing. A request for a summary is a request for visible reasoning. */
export function decodeReasoning(value: unknown): ReasoningRequest | undefined {
  if (!isObject(value)) return undefined
  const isDefault = defaults.has(value['effort'])
  const effort = readEffort(value)
  const isVisible = readVisible(value)
  if (effort === undefined && isVisible === undefined && !isDefault) return undefined
  const visible = isVisible === undefined ? {} : { isVisible }
  if (effort === undefined) return { mode: 'auto', ...visible }
  if (effort === 'none') return { mode: 'off', ...visible }
  return { mode: 'effort', effort, ...visible }
}

function readEffort(value: JsonObject): Effort | undefined {
  const requested = value['effort'] ?? undefined
  if (requested === undefined || requested === '' || defaults.has(requested)) return undefined
  const effort = efforts.find((each) => each === requested)
  if (effort === undefined) throw wrongType('reasoning.effort', `one of ${efforts.join(', ')}`)
  return effort
}

function readVisible(value: JsonObject): boolean | undefined {
  const summary = stringAt(value, 'summary') ?? stringAt(value, 'generate_summary')
  return summary === undefined || summary === '' ? undefined : summary !== 'none'
}
