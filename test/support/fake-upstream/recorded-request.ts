import type { IncomingMessage, ServerResponse } from 'node:http'

export interface RecordedRequest {
  readonly method: string
  /** With the query, as it stood in the request line. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** True once the caller has gone away before it had the whole answer. */
  readonly aborted: boolean
  /** Resolves when the caller goes away; pending for ever when it never does. */
  readonly whenAborted: Promise<void>
  /** Resolves when the exchange is over, one way or the other. */
  readonly whenClosed: Promise<void>
}

export interface Recording {
  readonly request: RecordedRequest
  readonly signal: AbortSignal
}

/** Reads a request to its end, or to where its sender gave up. */
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
