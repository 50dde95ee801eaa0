import type { KeyName } from '../support/gateway/test-provision.ts'

/** One request that nobody should send. */
export interface HostileInput {
  readonly kind: string
  readonly key: KeyName | undefined
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
  /** Every byte of a request, for what no client library would send. */
  readonly raw?: string
}

export interface HostileAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}
