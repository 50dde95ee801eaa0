import type { Nano } from '../core/money.ts'
import type { UpstreamProtocol } from '../core/protocol-name.ts'

/** Where an entry is written, such as `tollgate.yaml:12`, for sentences about it. */
interface Written {
  readonly where: string
}

export interface ProvisionGroup extends Written {
  readonly id: string
  readonly factorMicro: bigint
  /** A field that an upstream cannot take is refused instead of dropped with a warning. */
  readonly isStrict: boolean
}

/** US$ per million tokens, and per request, in nano. */
export interface ProvisionPrice {
  readonly inputNano: Nano
  readonly cacheReadNano: Nano
  readonly cacheWrite5mNano: Nano
  readonly cacheWrite1hNano: Nano
  readonly outputNano: Nano
  readonly requestNano: Nano
}

export interface ProvisionModel extends Written {
  readonly id: string
  readonly displayName: string
  readonly ownedBy: string
  readonly contextTokens: number | undefined
  readonly maxOutputTokens: number
  /** Undefined: the model is listed, and refused until it has a price. */
  readonly price: ProvisionPrice | undefined
}

export interface ProvisionUpstream extends Written {
  readonly id: string
  readonly vendor: string
  readonly protocol: UpstreamProtocol
  readonly baseUrl: string
  readonly credential: string | undefined
  readonly groups: readonly string[]
  /** `as` is the upstream's own name for the model. */
  readonly models: readonly { readonly id: string; readonly as: string }[]
  readonly priority: number
  readonly weight: number
}

export interface ProvisionAccount extends Written {
  readonly id: string
  readonly name: string
  /** Granted once, however often the file is applied. */
  readonly creditNano: Nano | undefined
}

export type UserRole = 'admin' | 'member'

export interface ProvisionUser extends Written {
  readonly email: string
  /** Undefined leaves the password as it is. */
  readonly password: string | undefined
  readonly role: UserRole
  readonly accounts: readonly string[]
}

export interface ProvisionKey extends Written {
  readonly id: string
  readonly account: string
  readonly name: string
  /** Undefined: a value is made when the key is. */
  readonly value: string | undefined
  readonly groups: readonly string[]
  readonly models: readonly string[] | undefined
  readonly quotaNano: Nano | undefined
  readonly expiresAtMs: number | undefined
  readonly addresses: readonly string[] | undefined
  readonly isEnabled: boolean
}

/** What the config file wants to exist. What it does not name is left alone. */
export interface Provision {
  readonly groups: readonly ProvisionGroup[]
  readonly models: readonly ProvisionModel[]
  readonly upstreams: readonly ProvisionUpstream[]
  readonly accounts: readonly ProvisionAccount[]
  readonly users: readonly ProvisionUser[]
  readonly keys: readonly ProvisionKey[]
}
