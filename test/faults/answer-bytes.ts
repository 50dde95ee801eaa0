/** HTTP/1.1 answers written by hand, because a fault may be a single byte. */

export const streamType = 'text/event-stream'
export const wholeType = 'application/json'

export function headOf(status: number, fields: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`
}

export function sized(status: number, type: string, body: string, fields = {}): string {
  const length = Buffer.byteLength(body)
  return headOf(status, { 'content-type': type, 'content-length': length, ...fields }) + body
}

export function chunk(bytes: string | Uint8Array): Buffer {
  const body = Buffer.from(bytes as Uint8Array)
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
}

export const lastChunk = '0\r\n\r\n'

/** The head of a chunked body. */
export function openHead(type: string, fields: Readonly<Record<string, string>> = {}): string {
  return headOf(200, { 'content-type': type, 'transfer-encoding': 'chunked', ...fields })
}

/** A whole chunked body, with one chunk for each piece. */
export function chunked(type: string, pieces: readonly string[], fields = {}): Buffer {
  const head = Buffer.from(openHead(type, fields))
  return Buffer.concat([head, ...pieces.map(chunk), Buffer.from(lastChunk)])
}
