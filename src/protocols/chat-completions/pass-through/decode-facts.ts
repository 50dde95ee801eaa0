import { Fault } from '../../../core/fault.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { readBoolean, readCount, requireModel, wrongType } from '../../../wire/read-field.ts'
import { decodeExtraFacts } from '../../measure/feature-requests.ts'
import type { JsonBody, RequestFacts } from '../../request-facts.ts'
import { answersMax } from '../values/answers-max.ts'
import { requestFeatures } from './decode-features.ts'

export function decodeFacts({ value }: JsonBody): RequestFacts {
  const model = requireModel(value)
  checkMessages(value['messages'])
  checkTypes(value)
  const answers = readCount(value, 'n') ?? 1
  if (answers < 1 || answers > answersMax) throw wrongType('n', `between 1 and ${answersMax}`)
  const streamOptions = value['stream_options'] ?? undefined
  if (streamOptions !== undefined && !isObject(streamOptions))
    throw wrongType('stream_options', 'an object')
  return {
    model,
    isStream: readBoolean(value, 'stream') ?? false,
    outputTokensMax: readCount(value, 'max_completion_tokens') ?? readCount(value, 'max_tokens'),
    answers,
    wantsStreamUsage: streamOptions !== undefined && streamOptions['include_usage'] === true,
    framing: 'sse',
    ...decodeExtraFacts(value, requestFeatures),
  }
}

function checkMessages(messages: unknown): void {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new Fault(
      'invalid_request',
      'The field "messages" is required: a list of at least one message, each with a role and content.',
      {
        param: 'messages',
      },
    )
  }
  messages.forEach((message: unknown, index) => {
    if (!isObject(message)) throw wrongType(`messages[${index}]`, 'an object')
    if (typeof message['role'] !== 'string') throw wrongType(`messages[${index}].role`, 'a string')
  })
}

const numbers = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'seed']
const lists = ['tools', 'functions']
const objects = ['response_format', 'logit_bias', 'metadata']

/** Checks types that every upstream would reject. The upstream judges the rest. */
function checkTypes(value: JsonObject): void {
  for (const name of numbers)
    if (typeof (value[name] ?? 0) !== 'number') throw wrongType(name, 'a number')
  for (const name of lists) if (!Array.isArray(value[name] ?? [])) throw wrongType(name, 'a list')
  for (const name of objects) if (!isObject(value[name] ?? {})) throw wrongType(name, 'an object')
}
