import { isObject, type JsonObject } from '../../../src/wire/json.ts'
import { dig, digList, digNumber, digText } from '../dig.ts'
import type { WireEvent } from '../read-sse.ts'
import { argumentsOf } from './call-arguments.ts'
import type { FinishClass, Gist, GistReader, UsageGist } from './gist.ts'

export const messagesGist: GistReader = { accumulate, read }

/** Assembles a stream like the vendor's own client, without its checks, which are assertions here. */
function accumulate(events: readonly WireEvent[]): unknown {
  let message: JsonObject = { content: [] }
  let usage: JsonObject = {}
  const blocks: Record<string, unknown>[] = []
  for (const { json } of events) {
    const type = digText(json, 'type')
    const block = blocks[digNumber(json, 'index')]
    if (type === 'message_start') {
      message = objectOf(dig(json, 'message'))
      usage = objectOf(message['usage'])
    } else if (type === 'content_block_start') {
      blocks[digNumber(json, 'index')] = { ...objectOf(dig(json, 'content_block')) }
    } else if (type === 'content_block_delta' && block) {
      addDelta(block, dig(json, 'delta'))
    } else if (type === 'message_delta') {
      message = { ...message, ...objectOf(dig(json, 'delta')) }
      usage = { ...usage, ...told(objectOf(dig(json, 'usage'))) }
    } else if (type === 'error') {
      message = { ...message, type: 'error', error: dig(json, 'error') }
    }
  }
  return { ...message, content: blocks.map(closeBlock), usage }
}

function addDelta(block: Record<string, unknown>, delta: unknown): void {
  const add = (name: string, more: unknown) => {
    if (typeof more === 'string') block[name] = digText(block, name) + more
  }
  add('text', dig(delta, 'text'))
  add('thinking', dig(delta, 'thinking'))
  add('signature', dig(delta, 'signature'))
  add('partialJson', dig(delta, 'partial_json'))
  const citation = dig(delta, 'citation')
  if (citation !== undefined) block['citations'] = [...digList(block, 'citations'), citation]
}

function closeBlock(block: Record<string, unknown>): unknown {
  const { partialJson, ...rest } = block
  if (partialJson === undefined) return rest
  return { ...rest, input: argumentsOf(partialJson) }
}

function read(whole: unknown): Gist {
  const content = digList(whole, 'content')
  const ofType = (type: string) => content.filter((block) => digText(block, 'type') === type)
  const calls = ofType('tool_use').map((block) => ({
    id: digText(block, 'id'),
    name: digText(block, 'name'),
    arguments: argumentsOf(dig(block, 'input')),
  }))
  const stopReason = dig(whole, 'stop_reason')
  const answer = {
    text: ofType('text')
      .map((block) => digText(block, 'text'))
      .join(''),
    reasoning: ofType('thinking')
      .map((block) => digText(block, 'thinking'))
      .join(''),
    refusal: stopReason === 'refusal' ? digText(whole, 'stop_details', 'explanation') : '',
    calls,
    mediaCount: 0,
    images: [],
    finish: finishOf(stopReason),
  }
  return {
    answers: [answer],
    usage: readUsage(dig(whole, 'usage')),
    isFault: dig(whole, 'type') === 'error',
  }
}

const finishes: Readonly<Record<string, FinishClass>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool',
  refusal: 'filter',
}

function finishOf(reason: unknown): FinishClass {
  if (typeof reason !== 'string') return 'none'
  return finishes[reason] ?? 'odd'
}

function readUsage(usage: unknown): UsageGist | undefined {
  if (!isObject(usage) || usage['output_tokens'] === undefined) return undefined
  const cacheRead = digNumber(usage, 'cache_read_input_tokens')
  const cacheWrite = digNumber(usage, 'cache_creation_input_tokens')
  return {
    input: digNumber(usage, 'input_tokens') + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    output: digNumber(usage, 'output_tokens'),
    reasoning: digNumber(usage, 'output_tokens_details', 'thinking_tokens'),
  }
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** A null field has no meaning and replaces nothing. */
function told(usage: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null))
}
