import type { JsonObject } from '../../../src/wire/json.ts'

const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-x' }

/** One event of a chat-completions stream in wire format. */
export function event(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

export function chunk(content: string, extra: JsonObject = {}): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }]
  return event({ ...envelope, choices, ...extra })
}

export function roleChunk(extra: JsonObject = {}): string {
  const choices = [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]
  return event({ ...envelope, choices, ...extra })
}

export function stopChunk(extra: JsonObject = {}): string {
  return event({ ...envelope, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...extra })
}

/** The chunk that contains only usage. */
export function usageChunk(usage: JsonObject): string {
  return event({ ...envelope, choices: [], usage })
}

export const done = 'data: [DONE]\n\n'
