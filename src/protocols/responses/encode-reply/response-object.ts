import type { FunctionTool } from '../../../core/neutral/model-request.ts'
import { RawJson, writeJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt } from '../../../wire/json.ts'
import { onOneLine } from '../../../wire/on-one-line.ts'
import type { ReplyContext } from '../../translation.ts'

export type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed'

/** The members of a response that change while it is written, all as JSON text. */
export interface ResponseState {
  readonly status: Status
  readonly output: readonly string[]
  readonly usage?: string | undefined
  readonly error?: string | undefined
  readonly incompleteReason?: string | undefined
}

/**
 * The response object of the first and the last events. Clients read the fields of the request in it without checking
 * for them, so it repeats them, with the protocol's defaults for fields that were not sent.
 */
export class ResponseObject {
  readonly #head: string
  readonly #echo: string

  constructor(context: ReplyContext) {
    const id = JSON.stringify(context.mint('resp_'))
    this.#head = `{"id":${id},"object":"response","created_at":${context.createdAtSeconds},"status":"`
    // Schemas are repeated as sent, possibly over several lines. An event has one line.
    this.#echo = onOneLine(writeJson(echoOf(context))).slice(1)
  }

  write({ status, output, usage, error, incompleteReason }: ResponseState): string {
    const details = incompleteReason === undefined ? 'null' : `{"reason":"${incompleteReason}"}`
    return `${this.#head}${status}","error":${error ?? 'null'},"incomplete_details":${details},"output":[${output.join(',')}],"usage":${usage ?? 'null'},${this.#echo}`
  }
}

/** A stream repeats the whole response three times, so longer instructions are not repeated. */
const echoedCharactersMax = 64 * 1024

function echoedInstructions(instructions: unknown): unknown {
  const isLong = typeof instructions === 'string' && instructions.length > echoedCharactersMax
  return isLong ? null : (instructions ?? null)
}

function echoOf({ body, request }: ReplyContext): JsonObject {
  return {
    background: false,
    instructions: echoedInstructions(body['instructions']),
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: body['max_tool_calls'] ?? null,
    metadata: body['metadata'] ?? {},
    model: request.model,
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: body['previous_response_id'] ?? null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    reasoning: { effort: null, summary: null, ...objectAt(body, 'reasoning') },
    safety_identifier: body['safety_identifier'] ?? null,
    service_tier: serviceTier(body['service_tier']),
    store: body['store'] ?? true,
    temperature: body['temperature'] ?? 1,
    text: { ...objectAt(body, 'text'), format: formatOf(body, request.format) },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: toolsOf(body, request.tools),
    top_logprobs: body['top_logprobs'] ?? 0,
    top_p: body['top_p'] ?? 1,
    truncation: body['truncation'] ?? 'disabled',
    user: body['user'] ?? null,
  }
}

/** The response names the tier that was used, and `auto` is not a tier. */
function serviceTier(value: unknown): unknown {
  return (value ?? 'auto') === 'auto' ? 'default' : value
}

function formatOf(body: JsonObject, format: ReplyContext['request']['format']): unknown {
  const sent = objectAt(objectAt(body, 'text') ?? {}, 'format') ?? { type: 'text' }
  return format?.type === 'json-schema' ? { ...sent, schema: new RawJson(format.schema) } : sent
}

/** The tools as sent, with their schemas in the original spelling. */
function toolsOf(body: JsonObject, tools: ReplyContext['request']['tools']): unknown[] {
  const functions = tools.filter((tool) => tool.type === 'function')
  const sent = Array.isArray(body['tools']) ? body['tools'] : []
  return sent.map((tool: unknown) => echoTool(tool, functions, undefined))
}

function echoTool(
  tool: unknown,
  functions: readonly FunctionTool[],
  namespace: string | undefined,
): unknown {
  if (!isObject(tool)) return tool
  const { name } = tool
  if (tool['type'] === 'namespace' && Array.isArray(tool['tools']) && typeof name === 'string') {
    return { ...tool, tools: tool['tools'].map((each) => echoTool(each, functions, name)) }
  }
  if (tool['type'] === 'custom') return { ...tool, format: tool['format'] ?? { type: 'text' } }
  if (tool['type'] !== 'function') return tool
  const known = functions.find((each) => each.name === name && each.namespace === namespace)
  const parameters = known?.schema === undefined ? tool['parameters'] : new RawJson(known.schema)
  return { ...tool, parameters: parameters ?? null, strict: known?.isStrict ?? false }
}
