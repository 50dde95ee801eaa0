export interface UpstreamRequest {
  readonly path: string
  readonly stream: boolean
  readonly eventCount: number
  readonly intervalMs: number
  // Bytes of the buffer that this request used up; what follows belongs to the next one.
  readonly length: number
}

const headEnd = Buffer.from('\r\n\r\n')

// Reads one whole request from the front of the bytes, or undefined while some of it is missing.
// The pace of a stream rides in the prompt ("interval-5"), which every gateway carries, translated or not.
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
