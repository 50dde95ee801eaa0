import { expect } from 'bun:test'
import type {
  Finish,
  PartEnd,
  PartHead,
  ReplyEvent,
} from '../../../../src/core/neutral/reply-event.ts'
import { sealOpaque } from '../../../../src/protocols/fit/seal-opaque.ts'
import { messages } from '../../../../src/protocols/messages/index.ts'
import { isObject, type JsonObject, objectAt, parseJson } from '../../../../src/wire/json.ts'
import { encodeStream, readStream, replyContext } from './helpers.ts'

const answer = 0
export const begin: ReplyEvent = { type: 'reply-start', id: 'chatcmpl-1', model: 'gpt-x' }
export const head = (part: PartHead): ReplyEvent => ({ type: 'part-start', answer, part })
export const add = (text: string): ReplyEvent => ({ type: 'part-delta', answer, text })
export const done: PartEnd = { type: 'part-end', answer }
export const call = (id: string): PartHead => ({
  type: 'tool-call',
  id,
  name: 'f',
  form: 'function',
})
export const end = (reason: Finish['reason'], more: Partial<Finish> = {}): ReplyEvent => ({
  type: 'reply-end',
  finishes: [{ reason, raw: undefined, ...more }],
})
export const usage: ReplyEvent = {
  type: 'usage',
  usage: {
    input: 8,
    cacheRead: 3_512,
    cacheWrite5m: 1,
    cacheWrite1h: 2,
    output: 44,
    reasoning: 42,
  },
}
export const sealed = { issuer: 'openai/gpt', kind: 'sealed', data: 'gAA' } as const
export const signed = { issuer: 'google/gemini', kind: 'signature', data: 'Ci' } as const
export const unsigned = sealOpaque({ issuer: 'gateway', kind: 'signature', data: '' })

/** The content of a stream; checks the rules of the protocol on the way. */
export function contentOf(events: readonly ReplyEvent[]): JsonObject[] {
  const stream = readStream(encodeStream(events))
  const blocks: Record<string, unknown>[] = []
  let isOpen = false
  expect(stream[0]?.['type']).toBe('message_start')
  expect(stream.slice(-2).map((event) => event['type'])).toEqual(['message_delta', 'message_stop'])
  for (const event of stream.slice(1, -2)) {
    const delta = objectAt(event, 'delta') ?? {}
    if (event['type'] === 'content_block_start') {
      expect(isOpen).toBe(false)
      isOpen = true
      expect(event['index']).toBe(blocks.length)
      blocks.push({ ...objectAt(event, 'content_block') })
      continue
    }
    expect(isOpen).toBe(true)
    expect(event['index']).toBe(blocks.length - 1)
    if (event['type'] === 'content_block_stop') isOpen = false
    else addDelta(blocks.at(-1) ?? {}, delta)
  }
  expect(isOpen).toBe(false)
  return blocks.map(({ json, ...block }) =>
    typeof json === 'string' ? { ...block, input: parseJson(json) } : block,
  )
}

const deltasOf: Record<string, string[]> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
}

function addDelta(block: Record<string, unknown>, delta: JsonObject): void {
  expect(deltasOf[String(block['type'])]).toContain(String(delta['type']))
  const { type: _, partial_json: json, citation, ...texts } = delta
  if (typeof json === 'string')
    block['json'] = `${(block['json'] as string | undefined) ?? ''}${json}`
  if (citation) block['citations'] = [...((block['citations'] as []) ?? []), citation]
  for (const [name, text] of Object.entries(texts)) {
    block[name] = `${block[name] as string}${text as string}`
  }
}

/** The same reply in one piece. */
export function whole(events: readonly ReplyEvent[]): JsonObject {
  const message = parseJson(messages.translation.encodeReply(events, replyContext()))
  if (!isObject(message)) throw new Error('the reply is not an object')
  return message
}
