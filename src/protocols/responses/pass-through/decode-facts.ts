import { Fault } from '../../../core/fault.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { readBoolean, readCount, requireModel, wrongType } from '../../../wire/read-field.ts'
import { decodeExtraFacts } from '../../measure/feature-requests.ts'
import type { JsonBody, PathFacts, RequestFacts } from '../../request-facts.ts'
import { requestFeatures } from './decode-features.ts'

/** Fields that may replace `input`: the conversation is then stored elsewhere. */
const elsewhere = ['previous_response_id', 'conversation', 'prompt']

export function decodeFacts({ value }: JsonBody, path: PathFacts): RequestFacts {
  const model = requireModel(value)
  checkTypes(value)
  checkInput(value)
  refuseBackground(value)
  const facts = {
    model,
    answers: 1,
    wantsStreamUsage: true,
    framing: path.framing,
    ...decodeExtraFacts(value, requestFeatures),
  }
  // A compaction is never streamed and has no output limit, whatever the body says.
  if (path.isCompaction === true) {
    return { ...facts, isStream: false, outputTokensMax: undefined, isCompaction: true }
  }
  return {
    ...facts,
    isStream: readBoolean(value, 'stream') ?? false,
    outputTokensMax: readCount(value, 'max_output_tokens'),
  }
}

const objects = ['text', 'reasoning', 'metadata', 'stream_options']
const lists = ['tools', 'include']
const numbers = ['temperature', 'top_p', 'top_logprobs']
const booleans = ['store', 'parallel_tool_calls', 'background']

/** Null is the same as absent: several clients write every field that they know. */
function checkTypes(value: JsonObject): void {
  for (const name of objects) check(value, name, isObject, 'an object')
  for (const name of lists) check(value, name, Array.isArray, 'a list')
  for (const name of numbers) check(value, name, isNumber, 'a number')
  for (const name of booleans) readBoolean(value, name)
  check(value, 'previous_response_id', isString, 'a string')
  check(value, 'instructions', isTextOrList, 'a string')
  check(value, 'tool_choice', isChoice, 'a string or an object')
  const tools = value['tools']
  if (!Array.isArray(tools)) return
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) throw wrongType(`tools[${index}]`, 'an object')
    if (typeof tool['type'] !== 'string') throw wrongType(`tools[${index}].type`, 'a string')
  }
}

/** The answer would arrive after the request is settled, so it would not be charged. */
function refuseBackground(value: JsonObject): void {
  if (value['background'] !== true) return
  throw new Fault(
    'invalid_request',
    'This gateway does not run background responses, because it cannot bill them. Leave "background" out and keep the connection open; use "stream" for long answers.',
    { param: 'background' },
  )
}

function check(
  value: JsonObject,
  name: string,
  fits: (field: unknown) => boolean,
  expected: string,
): void {
  const field = value[name] ?? undefined
  if (field !== undefined && !fits(field)) throw wrongType(name, expected)
}

function isNumber(field: unknown): boolean {
  return typeof field === 'number' && Number.isFinite(field)
}

function isString(field: unknown): boolean {
  return typeof field === 'string'
}

function isTextOrList(field: unknown): boolean {
  return typeof field === 'string' || Array.isArray(field)
}

function isChoice(field: unknown): boolean {
  return typeof field === 'string' || isObject(field)
}

function checkInput(value: JsonObject): void {
  const input = value['input'] ?? undefined
  const isElsewhere = elsewhere.some((name) => (value[name] ?? undefined) !== undefined)
  if (input === undefined || (Array.isArray(input) && input.length === 0)) {
    if (isElsewhere) return
    throw new Fault(
      'invalid_request',
      'The field "input" is required: a string, or a list of at least one item.',
      { param: 'input' },
    )
  }
  if (typeof input === 'string') return
  if (!Array.isArray(input)) throw wrongType('input', 'a string or a list of items')
  for (let index = 0; index < input.length; index += 1) {
    checkItem(input[index], () => `input[${index}]`)
  }
}

function checkItem(item: unknown, path: () => string): void {
  if (!isObject(item)) throw wrongType(path(), 'an object')
  const type = item['type'] ?? undefined
  if (type !== undefined && typeof type !== 'string') throw wrongType(`${path()}.type`, 'a string')
  if (type !== undefined && type !== 'message') return
  if (type === undefined && item['role'] === undefined && typeof item['id'] === 'string') return
  if (typeof item['role'] !== 'string') throw wrongType(`${path()}.role`, 'a string')
  const content = item['content']
  if (typeof content !== 'string' && !Array.isArray(content)) {
    throw wrongType(`${path()}.content`, 'a string or a list of parts')
  }
}
