import { Fault } from '../../../core/fault.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { readBoolean, readCount, requireModel, wrongType } from '../../../wire/read-field.ts'
import { decodeExtraFacts } from '../../measure/feature-requests.ts'
import type { JsonBody, RequestFacts } from '../../request-facts.ts'
import { requestFeatures } from './decode-features.ts'

const roles = new Set<unknown>(['user', 'assistant', 'system'])
const objects = ['thinking', 'tool_choice', 'metadata', 'output_config', 'cache_control'] as const
const numbers = ['temperature', 'top_p', 'top_k'] as const
const lists = ['tools', 'stop_sequences'] as const

export function decodeFacts({ value }: JsonBody): RequestFacts {
  const outputTokensMax = readCount(value, 'max_tokens')
  if (outputTokensMax === undefined)
    throw missing('max_tokens', 'the maximum number of output tokens')
  return { ...decodeCountFacts({ value }), isStream: isStream(value), outputTokensMax }
}

/** The fields that a count request also has. It requests no answer, so it needs no limit. */
export function decodeCountFacts({ value }: Pick<JsonBody, 'value'>): RequestFacts {
  const model = requireModel(value)
  checkThread(value)
  checkMessages(value['messages'])
  checkTypes(value)
  return {
    model,
    isStream: false,
    outputTokensMax: undefined,
    answers: 1,
    wantsStreamUsage: true,
    framing: 'sse',
    ...decodeExtraFacts(value, requestFeatures),
  }
}

function isStream(value: JsonObject): boolean {
  return readBoolean(value, 'stream') ?? false
}

/** A thread contains messages that the gateway has never seen. Ignoring it would lose the conversation. */
function checkThread(value: JsonObject): void {
  if ((value['thread'] ?? undefined) === undefined) return
  throw new Fault(
    'invalid_request',
    'This gateway keeps no message threads. Send the whole conversation in "messages" and leave "thread" out.',
    { param: 'thread' },
  )
}

function checkMessages(messages: unknown): void {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw missing('messages', 'a list of at least one message, each with a role and content')
  }
  messages.forEach((message: unknown, index) => {
    if (!isObject(message)) throw wrongType(`messages[${index}]`, 'an object')
    if (!roles.has(message['role']))
      throw wrongType(`messages[${index}].role`, '"user", "assistant" or "system"')
    const { content } = message
    if (typeof content !== 'string') checkContent(content, `messages[${index}].content`)
  })
}

function checkContent(content: unknown, at: string): void {
  if (!Array.isArray(content)) throw wrongType(at, 'a string or a list of blocks')
  content.forEach((block: unknown, index) => {
    if (!isObject(block)) throw wrongType(`${at}[${index}]`, 'an object')
    if (typeof block['type'] !== 'string') throw wrongType(`${at}[${index}].type`, 'a string')
  })
}

function checkTypes(value: JsonObject): void {
  const system = value['system'] ?? undefined
  if (system !== undefined && typeof system !== 'string') checkContent(system, 'system')
  for (const name of objects) {
    const field = value[name] ?? undefined
    if (field !== undefined && !isObject(field)) throw wrongType(name, 'an object')
  }
  for (const name of numbers) {
    const field = value[name] ?? undefined
    if (field !== undefined && typeof field !== 'number') throw wrongType(name, 'a number')
  }
  for (const name of lists) {
    const field = value[name] ?? undefined
    if (field !== undefined && !Array.isArray(field)) throw wrongType(name, 'a list')
  }
}

function missing(name: string, what: string): Fault {
  return new Fault('invalid_request', `The field "${name}" is required: ${what}.`, { param: name })
}
