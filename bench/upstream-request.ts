export interface UpstreamRequest {
  readonly path: string
  readonly stream: boolean
  readonly eventCount: number
  readonly intervalMs: number
  // The number of bytes of this request in the buffer; later bytes belong to the next request.
  readonly length: number
}

const headEnd = Buffer.from('\r\n\r\n')

// Reads one whole request from the front of the bytes; undefined while the request is incomplete. The prompt contains
// the pace of a stream ("interval-5"), because every gateway forwards the prompt, translated or not.
export function readUpstreamRequest(bytes: Buffer): UpstreamRequest | undefined {
  const headLength = bytes.indexOf(headEnd)
  if (headLength < 0) return undefined
  const head = bytes.toString('latin1', 0, headLength)
  if (/\r\ntransfer-encoding:/i.test(head)) {
    throw new Error('the bench upstream reads bodies with a content-length only')
  }
  const bodyStart = headLength + headEnd.length
  const length = bodyStart + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  if (bytes.length < length) return undefined
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'))
  const body = bytes.toString('latin1', bodyStart, length)
  return {
    path,
    stream: /"stream": *true/.test(body),
    eventCount: Number(/"max_(?:completion_)?tokens": *(\d+)/.exec(body)?.[1] ?? 1),
    intervalMs: Number(/interval-(\d+)/.exec(body)?.[1] ?? 1),
    length,
  }
}
