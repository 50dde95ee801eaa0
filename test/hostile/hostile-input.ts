import type { KeyName } from '../support/gateway/test-provision.ts'

/** One hostile or malformed request. */
export interface HostileInput {
  readonly kind: string
  readonly key: KeyName | undefined
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
  /** All bytes of the request, for input that no client library can send. */
  readonly raw?: string
}

export interface HostileAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}
