import type { Arrival } from '../core/arrival.ts'
import type { Clock } from '../core/clock.ts'
import type { RandomBytes } from '../core/id.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/vault.ts'
import type { Assets } from './assets.ts'
import type { GatewayPorts } from './gateway-ports.ts'
import type { OpenIdProvider } from './open-id-provider.ts'

/** Everything the console reaches for, passed in. */
export interface ConsoleDeps {
  readonly engine: Engine
  readonly vault: Vault
  readonly clock: Clock
  readonly random: RandomBytes
  readonly assets: Assets
  /** The word in `x-<brand>-request-id`. */
  readonly brand: string
  /** Whether the socket itself speaks TLS; a proxy in front is told by the context of each request. */
  readonly isSecureListen: boolean
  readonly gateway: GatewayPorts
  /** Whether members of an account are told which upstreams served them. */
  readonly showsUpstreamsToMembers: boolean
  /** Undefined when no identity provider is configured. */
  readonly openId: OpenIdProvider | undefined
  /** Whether each answer is compared with what its operation declares; for tests. */
  readonly checksAnswers?: boolean
  /** Told of what was answered with 500, so that the operator learns what the visitor does not. */
  readonly onError?: (error: unknown, requestId: string) => void
}

export interface ConsoleContext {
  /** Who is asking: the peer, or what a trusted proxy says. */
  readonly address: string
  /** Who has connected. */
  readonly peer: string
  readonly requestId: string
  /** True when a trusted proxy says that the visitor came by https. */
  readonly isSecure?: boolean
  /** What is wrong with the address, if it must not be looked at further. */
  readonly problem?: string | undefined
  /** The deadline of the visitor's connection. */
  readonly arrival?: Arrival | undefined
}
