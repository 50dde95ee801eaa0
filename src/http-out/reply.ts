import type { ConnectionProblem } from '../core/codes.ts'
/** What an upstream has answered: its head at once, its body as it is asked for. */
export interface UpstreamResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: ReplyBody
}

export interface ReplyBody {
  /** The next piece; undefined after the last. Rejects when the body was cut short. */
  read(): Promise<Uint8Array | undefined>
  /** All of it; undefined when it is larger than that. */
  readWhole(bytesMax: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Nobody wants the rest. */
  cancel(): void
}

export type ConnectionFailureKind = ConnectionProblem | 'stopped'

/** Why no answer came, or no whole one. The text is the operator's: it may name hosts. */
export class OutgoingFailure extends Error {
  override readonly name = 'OutgoingFailure'
  readonly kind: ConnectionFailureKind

  constructor(message: string, { kind, cause }: { kind: ConnectionFailureKind; cause?: unknown }) {
    super(message, { cause })
    this.kind = kind
  }
}
