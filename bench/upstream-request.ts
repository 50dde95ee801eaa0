export interface UpstreamRequest {
  readonly path: string
  readonly stream: boolean
  readonly eventCount: number
  readonly intervalMs: number
  // The number of bytes of this request in the buffer; later bytes belong to the next request.
  readonly length: number
}

const headEnd = Buffer.from('\r\n\r\n')
// Gateways in Python write a space after the colon.
const streamFields = ['"stream":true', '"stream": true'].map((field) => Buffer.from(field))

// The number of bytes from the front that a whole request needs; undefined while its head is incomplete.
export function upstreamRequestLength(bytes: Buffer): number | undefined {
  const headLength = bytes.indexOf(headEnd)
  if (headLength < 0) return undefined
  const head = bytes.toString('latin1', 0, headLength)
  if (/\r\ntransfer-encoding:/i.test(head)) {
    throw new Error('the bench upstream reads bodies with a content-length only')
  }
  const bodyLength = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  return headLength + headEnd.length + bodyLength
}

// Reads one whole request from the front of the bytes; undefined while the request is incomplete. The prompt contains
// the pace of a stream ("interval-5"), because every gateway forwards the prompt, translated or not.
export function readUpstreamRequest(bytes: Buffer): UpstreamRequest | undefined {
  const length = upstreamRequestLength(bytes)
  if (length === undefined || bytes.length < length) return undefined
  const firstLine = bytes.toString('latin1', 0, bytes.indexOf('\r\n'))
  const path = firstLine.slice(firstLine.indexOf(' ') + 1, firstLine.lastIndexOf(' '))
  const request = bytes.subarray(0, length)
  // Most of a long body is never read in JavaScript: the search for a few bytes is native.
  if (!streamFields.some((field) => request.includes(field))) {
    return { path, stream: false, eventCount: 1, intervalMs: 1, length }
  }
  const text = request.toString('latin1')
  return {
    path,
    stream: true,
    eventCount: Number(/"max_(?:completion_)?tokens": *(\d+)/.exec(text)?.[1] ?? 1),
    intervalMs: Number(/interval-(\d+)/.exec(text)?.[1] ?? 1),
    length,
  }
}
