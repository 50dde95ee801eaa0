import type { ConnectionProblem } from '../core/codes.ts'
/** The answer of an upstream: the head at once, the body on demand. */
export interface UpstreamResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: ReplyBody
}

export interface ReplyBody {
  /** The next piece; undefined after the last. Rejects when the body was cut short. */
  read(): Promise<Uint8Array | undefined>
  /** The whole body; undefined when it is larger than `bytesMax`. */
  readWhole(bytesMax: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Discards the rest. */
  cancel(): void
}

export type ConnectionFailureKind = ConnectionProblem | 'stopped'

/** Why no answer arrived, or only a part of it. The text is for the operator only: it may name hosts. */
export class OutgoingFailure extends Error {
  override readonly name = 'OutgoingFailure'
  readonly kind: ConnectionFailureKind

  constructor(message: string, { kind, cause }: { kind: ConnectionFailureKind; cause?: unknown }) {
    super(message, { cause })
    this.kind = kind
  }
}
