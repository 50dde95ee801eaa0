import type { RelyingParty } from '../../accounts/relying-party.ts'
import type { RandomBytes } from '../../core/id.ts'
import type { Arrival } from '../../core/network/arrival.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Engine } from '../../store/engine.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import type { Assets } from '../http/assets.ts'
import type { GatewayPorts } from './gateway-ports.ts'
import type { OpenIdProvider } from './open-id-provider.ts'

/** The limits that the operator sets on the recordings of accounts. */
export interface RecordingTerms {
  readonly isRecordingAllowed: boolean
  readonly recordingAccountBytesMax: number
  readonly recordingRetentionMs: number
}

/** Dependencies of the console. */
export interface ConsoleDeps {
  readonly engine: Engine
  readonly vault: Vault
  readonly clock: Clock
  readonly random: RandomBytes
  readonly assets: Assets
  /** The brand in header names such as `x-<brand>-request-id`. */
  readonly brand: string
  /** The setting `publicUrl`, without a trailing slash. */
  readonly publicUrl: string | undefined
  /** Whether the socket itself uses TLS. The context of a request tells about a proxy in front. */
  readonly isSecureListen: boolean
  readonly gateway: GatewayPorts
  /** Whether members may see which upstreams served their requests. */
  readonly showsUpstreamsToMembers: boolean
  readonly recording: RecordingTerms
  /** The setting `confirmGrantsFrom`, in US dollars. */
  readonly confirmGrantsFrom: number
  /** Undefined when no identity provider is configured. */
  readonly openId: OpenIdProvider | undefined
  /** The host name and origin that passkeys are bound to; undefined where passkeys cannot work. */
  readonly relyingParty: RelyingParty | undefined
  /** How many processes share the port of this one, and with it the attempts of a visitor; 1 if not set. */
  readonly workers?: number
  /** Whether each response is checked against the schema of its operation; for tests. */
  readonly checksAnswers?: boolean
  /** Receives errors that were answered with 500: the visitor does not see the details. */
  readonly onError?: (error: unknown, requestId: string) => void
}

export interface ConsoleContext {
  /** The client address: the peer, or the address that a trusted proxy reports. */
  readonly address: string
  /** The address of the connection. */
  readonly peer: string
  readonly requestId: string
  /** True if a trusted proxy reports that the visitor uses https. */
  readonly isSecure?: boolean
  /** Why the request target is refused. */
  readonly problem?: string | undefined
  /** The deadline of the visitor's connection. */
  readonly arrival?: Arrival | undefined
}
