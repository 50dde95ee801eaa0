import type { Opaque } from '../../../../src/core/neutral/model-request.ts'
import type { Finish, PartHead, ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { isObject, type JsonObject } from '../../../../src/wire/json.ts'

/** Neutral replies in short form, and the choices of their chunks. */

export const begin: ReplyEvent = { type: 'reply-start', id: 'up', model: 'up' }
export const finished = (reason: Finish['reason'], more: object = {}): ReplyEvent => ({
  type: 'reply-end',
  finishes: [{ reason, raw: undefined, ...more }],
})
export const part = (head: PartHead, texts: string[], more: object = {}): ReplyEvent[] => [
  { type: 'part-start', answer: 0, part: head },
  ...texts.map((text): ReplyEvent => ({ type: 'part-delta', answer: 0, text })),
  { type: 'part-end', answer: 0, ...more },
]
export const text = (...texts: string[]) => part({ type: 'text' }, texts)
export const call = (id: string, texts: string[], more: object = {}) =>
  part({ type: 'tool-call', id, name: 'f', form: 'function', ...more }, texts)
export const signed: Opaque = { issuer: 'anthropic/claude', kind: 'signature', data: 's' }
export const sealed: Opaque = { issuer: 'openai/gpt', kind: 'sealed', data: 'e' }

export function choicesOf(chunks: readonly JsonObject[]): JsonObject[] {
  return chunks.flatMap(({ choices }) => (Array.isArray(choices) ? choices.filter(isObject) : []))
}
