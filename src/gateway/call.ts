/** One HTTP request as the server hands it over. */
export interface Call {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Headers
  /** Who is calling: the peer, or what a trusted proxy says. */
  readonly address: string
  readonly receivedAtMs: number
  readonly startedMs: number
  /** Whether the client has closed its connection. Looked at now and then: being told would cost every request. */
  isClientGone(): boolean
  /** The whole body, within the server's limits of size, time and memory; the account is whose memory that is. */
  readBody(accountId: string): Promise<Uint8Array>
  /** The last bytes of a streamed answer are being written, or nobody reads them any more. */
  ended?(): void
}

export interface GatewayResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}

/** Nobody reads this answer: its reader has gone. */
export const answerToNobody: GatewayResponse = { status: 499, headers: {}, body: '' }
