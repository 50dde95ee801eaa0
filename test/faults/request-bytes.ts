import type { Cell } from './cell.ts'

/** The request of a cell as bytes, for a client that handles its own socket. */
export function requestBytes({ from, model, isStream }: Cell, key: string): string {
  const body = JSON.stringify(from.client.body(model, isStream))
  const lines = [
    `POST ${from.client.path(model, isStream)} HTTP/1.1`,
    'host: gateway',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
