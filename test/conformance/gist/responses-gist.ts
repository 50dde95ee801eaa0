import { isObject } from '../../../src/wire/json.ts'
import { dig, digList, digNumber, digText } from '../dig.ts'
import type { WireEvent } from '../read-sse.ts'
import { argumentsOf, inputOf } from './call-arguments.ts'
import type { CallGist, FinishClass, Gist, GistReader, UsageGist } from './gist.ts'
import { imageGist } from './image-gist.ts'

export const responsesGist: GistReader = { accumulate, read }

const terminal = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/**
 * The last event repeats everything. Some vendors leave its output empty, and encrypt reasoning again there, so the
 * completed items count.
 */
function accumulate(events: readonly WireEvent[]): unknown {
  const last = events.findLast(({ json }) => terminal.has(digText(json, 'type')))
  const response = dig(last?.json, 'response')
  const error = events.find(({ json }) => digText(json, 'type') === 'error')?.json
  if (!isObject(response)) return { status: 'in_progress', output: [], error }
  const done = events
    .filter(({ json }) => digText(json, 'type') === 'response.output_item.done')
    .map(({ json }) => dig(json, 'item'))
  const output = digList(response, 'output')
  return {
    ...response,
    output: done.length > 0 ? done : output,
    error: error ?? response['error'],
  }
}

function read(whole: unknown): Gist {
  const output = digList(whole, 'output')
  const ofType = (type: string) => output.filter((item) => digText(item, 'type') === type)
  const content = ofType('message').flatMap((item) => digList(item, 'content'))
  const calls = output.flatMap(readCall)
  const textOf = (type: string, name: string) =>
    content
      .filter((part) => digText(part, 'type') === type)
      .map((part) => digText(part, name))
      .join('')
  const refusal = textOf('refusal', 'refusal')
  const answer = {
    text: textOf('output_text', 'text'),
    reasoning: ofType('reasoning').map(reasoningOf).join(''),
    refusal,
    calls,
    mediaCount: ofType('image_generation_call').length,
    images: ofType('image_generation_call')
      .map((item) => digText(item, 'result'))
      .filter((result) => result !== '')
      .map(imageGist),
    finish: finishOf(whole, calls.length > 0, refusal !== ''),
  }
  const error = dig(whole, 'error')
  return {
    answers: [answer],
    usage: readUsage(dig(whole, 'usage')),
    isFault: dig(whole, 'status') === 'failed' || (error !== undefined && error !== null),
  }
}

function readCall(item: unknown): CallGist[] {
  const type = digText(item, 'type')
  const id = digText(item, 'call_id')
  const name = digText(item, 'name')
  if (type === 'function_call') {
    return [{ id, name, arguments: argumentsOf(dig(item, 'arguments')) }]
  }
  if (type === 'custom_tool_call') return [{ id, name, arguments: inputOf(dig(item, 'input')) }]
  return []
}

function reasoningOf(item: unknown): string {
  return [...digList(item, 'summary'), ...digList(item, 'content')]
    .map((part) => digText(part, 'text'))
    .join('')
}

function finishOf(whole: unknown, hasCalls: boolean, isRefusal: boolean): FinishClass {
  const status = dig(whole, 'status')
  if (status === 'incomplete') {
    const reason = dig(whole, 'incomplete_details', 'reason')
    return reason === 'max_output_tokens' ? 'length' : 'filter'
  }
  if (status !== 'completed') return 'none'
  if (isRefusal) return 'filter'
  return hasCalls ? 'tool' : 'stop'
}

function readUsage(usage: unknown): UsageGist | undefined {
  if (!isObject(usage)) return undefined
  return {
    input: digNumber(usage, 'input_tokens'),
    cacheRead: digNumber(usage, 'input_tokens_details', 'cached_tokens'),
    cacheWrite: digNumber(usage, 'input_tokens_details', 'cache_write_tokens'),
    output: digNumber(usage, 'output_tokens'),
    reasoning: digNumber(usage, 'output_tokens_details', 'reasoning_tokens'),
  }
}
