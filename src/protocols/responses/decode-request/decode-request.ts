import { Fault } from '../../../core/fault.ts'
import type { ModelRequest, Part, TextPart, Turn } from '../../../core/neutral/model-request.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { readBoolean } from '../../../wire/read-field.ts'
import type { JsonBody, RequestFacts } from '../../request-facts.ts'
import { decodeContent } from './decode-content.ts'
import { decodeExtras } from './decode-extras.ts'
import {
  decodeFormat,
  decodeLogprobsRequest,
  decodeReasoning,
  decodeSampling,
} from './decode-options.ts'
import { decodeToolChoice, decodeTools } from './decode-tools.ts'
import { decodeTurns } from './decode-turns.ts'
import { exactMember } from './exact-member.ts'
import { ToolList } from './tool-list.ts'

export function decodeRequest(body: JsonBody, facts: RequestFacts): ModelRequest {
  const { value } = body
  refuseStateful(value)
  const tools = new ToolList()
  decodeTools(exactMember(body, 'tools'), 'tools', tools)
  const { system, turns } = decodeTurns(inputOf(body), decodeInstructions(value), tools)
  return {
    model: facts.model,
    isStream: facts.isStream,
    system,
    turns: turns.map((turn) => withDeclaredNames(turn, tools)),
    tools: tools.tools,
    toolChoice: decodeToolChoice(value['tool_choice']),
    parallelCalls: readBoolean(value, 'parallel_tool_calls'),
    outputTokensMax: facts.outputTokensMax,
    sampling: decodeSampling(value),
    answers: 1,
    format: decodeFormat(body),
    reasoning: decodeReasoning(value['reasoning']),
    logprobs: decodeLogprobsRequest(value),
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
  const isUndeclaredNamespace = (part: Part) =>
    part.type === 'tool-call' &&
    part.namespace !== undefined &&
    !tools.has(part.name, part.namespace) &&
    tools.has(part.name, undefined)
  if (!turn.parts.some(isUndeclaredNamespace)) return turn
  const parts = turn.parts.map((part) =>
    isUndeclaredNamespace(part) ? { ...part, namespace: undefined } : part,
  )
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

/** The refusal of a `previous_response_id` that the gateway has not stored, with the message that clients know. */
function responseNotFound(id: string): Fault {
  return new Fault(
    'previous_response_not_found',
    `The previous response ${JSON.stringify(id)} is not stored here. Send the whole conversation in "input".`,
    { param: 'previous_response_id' },
  )
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

function decodeMetadata(value: unknown): string | undefined {
  return isObject(value) && Object.keys(value).length > 0 ? JSON.stringify(value) : undefined
}

/** Several clients send empty strings for unset fields. */
function textAt(value: JsonObject, name: string): string | undefined {
  const text = stringAt(value, name)
  return text === '' ? undefined : text
}
