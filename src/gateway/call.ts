import type { LimitHeaders } from '../core/limits/rate-limit.ts'

/** One HTTP request as the server passes it to the gateway. */
export interface Call {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Headers
  /** The client's IP address: the peer's, or the one that a trusted proxy reports. */
  readonly address: string
  readonly receivedAtMs: number
  readonly startedMs: number
  /**
   * Whether the client has closed its connection. The gateway polls, because a notification would cost every request.
   */
  isClientGone(): boolean
  /** Reads the whole body within the server's limits of size, time and memory. The bytes count against the account. */
  readBody(accountId: string): Promise<Uint8Array>
  /** The last bytes of a streamed response are being written, or the client no longer reads them. */
  ended?(): void
}

export interface GatewayResponse {
  readonly status: number
  readonly headers: Record<string, string>
  /** Sent in addition. */
  readonly limitHeaders?: LimitHeaders | undefined
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}

/** The response to a client that has disconnected. It is never delivered. */
export const clientGoneResponse: GatewayResponse = { status: 499, headers: {}, body: '' }
