import type { ProtocolName } from '../../src/core/neutral/protocol-name.ts'
import type { ConversationShape } from './conversations.ts'

const bytesMax = 32 * 1024 * 1024 - 4_096

export interface Shape {
  readonly name: string
  /** The JSON of the text or of a neighbouring member. */
  readonly text?: () => string
  readonly beside?: () => string
  /** Whether to store the response, where the protocol supports it. */
  readonly isStored?: boolean
}

const fill = (piece: string, bytes = bytesMax) =>
  piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))

/** Every shape at the largest size that the gateway accepts by default. */
export const shapes: readonly Shape[] = [
  { name: 'plain text', text: () => `"${fill('The quick brown fox jumps over the lazy dog. ')}"` },
  { name: 'base64', text: () => `"${fill('iVBORw0KGgoAAAANSUhEUgAABQAAAALQ')}"` },
  { name: 'escapes', text: () => `"${fill('\\n\\u00e9')}"` },
  { name: 'quotes', text: () => `"${fill('\\"')}"` },
  { name: 'Chinese', text: () => `"${fill('文字处理')}"` },
  { name: 'one letter beyond Latin-1', text: () => `"文${fill('a')}"` },
  { name: 'one letter beyond Latin-1, outside the messages', beside: () => `"文${fill('a')}"` },
  {
    name: 'one letter beyond Latin-1, in 30,000 strings',
    beside: () => `["文"${fill(`,"${'a'.repeat(1_100)}"`)}]`,
  },
  {
    name: 'names',
    beside: () => `{${Array.from({ length: 2_000_000 }, (_, i) => `"k${i}":1`).join()}}`,
  },
  { name: 'numbers', beside: () => `[${fill('1.5,')}1]` },
  { name: 'nested lists', beside: () => `[${fill(`${'['.repeat(100)}${']'.repeat(100)},`)}1]` },
  {
    name: 'long names',
    beside: () =>
      `{${Array.from({ length: 90_000 }, (_, i) => `"${'n'.repeat(300)}${i}":1`).join()}}`,
  },
  { name: '90,000 numbers', beside: () => `[${'1.5,'.repeat(90_000)}1]` },
  {
    name: '90,000 names',
    beside: () => `{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join()}}`,
  },
  { name: 'spaces', beside: () => fill(' ').concat('1') },
  {
    name: '256 KiB of names',
    beside: () => `{${Array.from({ length: 24_000 }, (_, i) => `"k${i}":1`).join()}}`,
  },
]

export function bodyOf(
  protocol: ProtocolName,
  model: string,
  shape: Shape,
  isStream = false,
): Uint8Array<ArrayBuffer> {
  const text = shape.text?.() ?? '"hi"'
  const stream = isStream && protocol !== 'generate-content' ? ',"stream":true' : ''
  const beside = stream + (shape.beside ? `,"metadata":${shape.beside()}` : '')
  const body = written(protocol, model, text, beside)
  return new TextEncoder().encode(
    shape.isStored === true ? body.replace('"store":false', '"store":true') : body,
  )
}

/** A very large number of short turns. */
export function turnsOf(
  protocol: ProtocolName,
  model: string,
  count: number,
): Uint8Array<ArrayBuffer> {
  const turn =
    protocol === 'generate-content'
      ? '{"role":"user","parts":[{"text":"hi"}]}'
      : '{"role":"user","content":"hi"}'
  return conversationOf(protocol, model, { name: '', turns: () => Array(count).fill(turn) })
}

const turnLists: Readonly<Record<ProtocolName, string>> = {
  'chat-completions': 'messages',
  messages: 'messages',
  responses: 'input',
  'generate-content': 'contents',
}

export function conversationOf(
  protocol: ProtocolName,
  model: string,
  { turns, beside }: ConversationShape,
): Uint8Array<ArrayBuffer> {
  const whose = protocol === 'generate-content' ? '' : `"model":"${model}","max_tokens":5,`
  const list = `"${turnLists[protocol]}":[${turns(protocol).join()}]`
  return new TextEncoder().encode(`{${whose}${list}${beside?.(protocol) ?? ''}}`)
}

function written(protocol: ProtocolName, model: string, text: string, beside: string): string {
  switch (protocol) {
    case 'chat-completions':
      return `{"model":"${model}","messages":[{"role":"user","content":${text}}]${beside}}`
    case 'messages':
      return `{"model":"${model}","max_tokens":5,"messages":[{"role":"user","content":${text}}]${beside}}`
    case 'responses':
      return `{"model":"${model}","store":false,"input":${text}${beside}}`
    case 'generate-content':
      return `{"contents":[{"role":"user","parts":[{"text":${text}}]}]${beside}}`
  }
}

export function pathOf(
  protocol: ProtocolName,
  model: string,
  what: 'whole' | 'stream' | 'count' = 'whole',
): string {
  const isCount = what === 'count'
  switch (protocol) {
    case 'chat-completions':
      return '/v1/chat/completions'
    case 'messages':
      return isCount ? '/v1/messages/count_tokens' : '/v1/messages'
    case 'responses':
      return isCount ? '/v1/responses/input_tokens' : '/v1/responses'
    case 'generate-content':
      if (what === 'stream') return `/v1beta/models/${model}:streamGenerateContent?alt=sse`
      return `/v1beta/models/${model}:${isCount ? 'countTokens' : 'generateContent'}`
  }
}
