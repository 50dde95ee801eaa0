import { Fault } from '../../../core/fault.ts'
import type {
  MediaPart,
  ModelRequest,
  Part,
  TextPart,
  Turn,
} from '../../../core/neutral/model-request.ts'
import { parseKeepingText } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import type { JsonBody, RequestFacts } from '../../request-facts.ts'
import { SchemaNodes } from '../../schema/schema-work.ts'
import { fieldOf, objectOf, textOf } from '../values/read-field.ts'
import { decodeExtras } from './decode-extras.ts'
import { detailOf } from './decode-media.ts'
import {
  decodeFormat,
  decodeLogprobsRequest,
  decodeReasoning,
  decodeSampling,
} from './decode-options.ts'
import { decodeToolChoice, decodeTools } from './decode-tools.ts'
import { decodeTurns, partsOf } from './decode-turns.ts'

/** Members with JSON that is carried as sent. */
const keptMembers: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'parameters_json_schema',
  'responseSchema',
  'response_schema',
  'responseJsonSchema',
  'response_json_schema',
  '_responseJsonSchema',
])

const tiers: Readonly<Record<string, string>> = {
  standard: 'default',
  flex: 'flex',
  priority: 'priority',
}

export function decodeRequest(body: JsonBody, facts: RequestFacts): ModelRequest {
  const root = parseKeepingText(body.text, keptMembers, body.value)
  if (!isObject(root)) throw new Fault('invalid_request', 'The body must be a JSON object.')
  const config = objectOf(root, 'generationConfig') ?? {}
  const toolConfig = objectOf(root, 'toolConfig') ?? {}
  const nodes = new SchemaNodes()
  const format = decodeFormat(config, nodes)
  const turns = decodeTurns(fieldOf(root, 'contents'))
  return {
    model: facts.model,
    isStream: facts.isStream,
    system: decodeSystem(root),
    turns: withDetail(turns, detailOf(textOf(config, 'mediaResolution'))),
    tools: decodeTools(fieldOf(root, 'tools'), nodes),
    toolChoice: decodeToolChoice(toolConfig),
    parallelCalls: undefined,
    outputTokensMax: facts.outputTokensMax,
    sampling: decodeSampling(config),
    answers: facts.answers,
    format,
    reasoning: decodeReasoning(config),
    logprobs: decodeLogprobsRequest(config),
    verbosity: undefined,
    endUser: undefined,
    cacheKey: undefined,
    serviceTier: tiers[textOf(root, 'serviceTier')?.toLowerCase() ?? ''],
    metadata: undefined,
    cacheMark: undefined,
    extras: decodeExtras(root, config, toolConfig, format !== undefined),
  }
}

function decodeSystem(root: JsonObject): TextPart[] {
  return partsOf(fieldOf(root, 'systemInstruction')).flatMap((part): TextPart[] => {
    const text = textOf(part, 'text')
    return text ? [{ type: 'text', text }] : []
  })
}

/** A resolution for the whole request applies to every image without its own resolution. */
function withDetail(turns: Turn[], detail: string | undefined): readonly Turn[] {
  if (detail === undefined) return turns
  const detailed = (part: MediaPart): MediaPart => ({ ...part, detail: part.detail ?? detail })
  const fitted = (part: Part): Part => (part.type === 'media' ? detailed(part) : part)
  return turns.map((turn) => ({ ...turn, parts: turn.parts.map(fitted) }))
}
