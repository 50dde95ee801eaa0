import type { IncomingMessage, ServerResponse } from 'node:http'

export interface RecordedRequest {
  readonly method: string
  /** With the query, as in the request line. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** True once the client has disconnected before the end of the answer. */
  readonly aborted: boolean
  /** Resolves when the client disconnects; otherwise stays pending. */
  readonly whenAborted: Promise<void>
  /** Resolves when the exchange has ended in any way. */
  readonly whenClosed: Promise<void>
}

export interface Recording {
  readonly request: RecordedRequest
  readonly signal: AbortSignal
}

/** Reads a request to its end, or to where the client stopped. */
export async function recordRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Recording> {
  const gone = new AbortController()
  const aborted = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) {
      gone.abort()
      aborted.resolve()
    }
    closed.resolve()
  })
  const body = await readBody(incoming, outgoing)
  const request = {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: joinHeaders(incoming),
    body: new TextDecoder().decode(body),
    get aborted() {
      return gone.signal.aborted
    },
    whenAborted: aborted.promise,
    whenClosed: closed.promise,
  }
  return { request, signal: gone.signal }
}

function readBody(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Uint8Array> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    const finish = () => resolve(Buffer.concat(chunks))
    incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    incoming.on('end', finish)
    incoming.on('error', finish)
    outgoing.on('close', finish)
  })
}

function joinHeaders(incoming: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(incoming.headers)
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value ?? '')]))
}
