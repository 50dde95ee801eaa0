import type { JsonObject } from '../../../src/wire/json.ts'
import { chatPath } from './ask.ts'

/** A chat-completions request as text, for tests that write to a socket themselves. */
export function chatRequest(key: string, body: JsonObject | string): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return `${chatHead(key, [`content-length: ${Buffer.byteLength(text)}`])}${text}`
}

export function chatHead(key: string, headers: readonly string[]): string {
  const lines = [
    `POST ${chatPath} HTTP/1.1`,
    'host: gateway',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
