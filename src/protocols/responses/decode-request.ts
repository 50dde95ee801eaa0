import { Fault } from '../../core/fault.ts'
import type {
  LogprobsRequest,
  ModelRequest,
  OutputFormat,
  Part,
  TextPart,
  Turn,
} from '../../core/model-request.ts'
import { jsonTextOf, parseKeepingText, plainOf } from '../../wire/exact-json.ts'
import { countAt, isObject, type JsonObject, objectAt, stringAt } from '../../wire/json.ts'
import { readBoolean, wrongType } from '../../wire/read-field.ts'
import type { JsonBody, RequestFacts } from '../request-facts.ts'
import { decodeContent } from './decode-content.ts'
import { decodeEffort } from './decode-effort.ts'
import { decodeItems } from './decode-items.ts'
import { decodeToolChoice } from './decode-tool-choice.ts'
import { decodeTools, schemaMembers } from './decode-tools.ts'
import { decodeExtras } from './extras.ts'
import { responseNotFound } from './response-not-found.ts'
import { ToolList } from './tool-list.ts'

export function decodeRequest(body: JsonBody, facts: RequestFacts): ModelRequest {
  const { value } = body
  refuseStateful(value)
  const tools = new ToolList()
  decodeTools(exactMember(body, 'tools'), 'tools', tools)
  const { system, turns } = decodeItems(inputOf(body), decodeInstructions(value), tools)
  return {
    model: facts.model,
    isStream: facts.isStream,
    system,
    turns: turns.map((turn) => withDeclaredNames(turn, tools)),
    tools: tools.tools,
    toolChoice: decodeToolChoice(value['tool_choice']),
    parallelCalls: readBoolean(value, 'parallel_tool_calls'),
    outputTokensMax: facts.outputTokensMax,
    sampling: { temperature: numberAt(value, 'temperature'), topP: numberAt(value, 'top_p') },
    answers: 1,
    format: decodeFormat(body),
    reasoning: decodeEffort(value['reasoning']),
    logprobs: decodeLogprobs(value),
    verbosity: stringAt(objectAt(value, 'text') ?? {}, 'verbosity'),
    endUser: textAt(value, 'safety_identifier') ?? textAt(value, 'user'),
    cacheKey: textAt(value, 'prompt_cache_key'),
    serviceTier: textAt(value, 'service_tier'),
    metadata: decodeMetadata(value['metadata']),
    cacheMark: undefined,
    extras: decodeExtras(value),
  }
}

/**
 * A tool that a search found is declared by its bare name and called in a namespace that the vendor made. The call must
 * have the name of the declaration.
 */
function withDeclaredNames(turn: Turn, tools: ToolList): Turn {
  const isStray = (part: Part) =>
    part.type === 'tool-call' &&
    part.namespace !== undefined &&
    !tools.has(part.name, part.namespace) &&
    tools.has(part.name, undefined)
  if (!turn.parts.some(isStray)) return turn
  const parts = turn.parts.map((part) => (isStray(part) ? { ...part, namespace: undefined } : part))
  return { ...turn, parts }
}

/** Refuses features that only the vendor that stores the state can provide. */
function refuseStateful(value: JsonObject): void {
  const previous = textAt(value, 'previous_response_id')
  if (previous !== undefined) throw responseNotFound(previous)
  for (const name of ['conversation', 'prompt']) {
    if ((value[name] ?? undefined) !== undefined) throw unsupported(name)
  }
}

function unsupported(name: string): Fault {
  return new Fault(
    'invalid_request',
    `The field "${name}" is not supported for this model: its upstream speaks another protocol. Leave the field out and send the whole conversation.`,
    { param: name },
  )
}

function decodeInstructions(value: JsonObject): TextPart[] {
  const parts = decodeContent(value['instructions'] ?? '', 'instructions')
  return parts.filter((part) => part.type === 'text')
}

/** Only tools contain JSON that must keep its spelling, so a conversation without tools is not parsed twice. */
function inputOf(body: JsonBody): unknown {
  const { input } = body.value
  const isPlain =
    !Array.isArray(input) || input.every((item: unknown) => !isObject(item) || !('tools' in item))
  return isPlain ? input : exactMember(body, 'input')
}

/** One member of the body with its schemas as text. */
function exactMember(body: JsonBody, name: string): unknown {
  const span = body.members.get(name)
  return span
    ? parseKeepingText(body.text.slice(span.valueStart, span.valueEnd), schemaMembers)
    : body.value[name]
}

function decodeFormat(body: JsonBody): OutputFormat | undefined {
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

function decodeLogprobs(value: JsonObject): LogprobsRequest | undefined {
  const top = countAt(value, 'top_logprobs') ?? 0
  const include = Array.isArray(value['include']) ? value['include'] : []
  return top > 0 || include.includes('message.output_text.logprobs') ? { top } : undefined
}

function decodeMetadata(value: unknown): string | undefined {
  return isObject(value) && Object.keys(value).length > 0 ? JSON.stringify(value) : undefined
}

/** Several clients send empty strings for unset fields. */
function textAt(value: JsonObject, name: string): string | undefined {
  const text = stringAt(value, name)
  return text === '' ? undefined : text
}

function numberAt(value: JsonObject, name: string): number | undefined {
  const field = value[name]
  return typeof field === 'number' ? field : undefined
}
