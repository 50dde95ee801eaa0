import type { FeatureSettings } from '../core/feature.ts'
import type { Nano } from '../core/money.ts'
import type { ParameterPolicy } from '../core/parameter-policy.ts'
import type { PriceTier } from '../core/price.ts'
import type { UpstreamProtocol } from '../core/protocol-name.ts'
import type { UpstreamTimeouts } from '../core/upstream-timeouts.ts'
import type { KeySettings } from '../keys/definition/key.ts'

/** Where an entry is written, such as `tollgate.yaml:12`, for sentences about it. */
interface Written {
  readonly where: string
}

export interface ProvisionGroup extends Written {
  readonly id: string
  readonly factorMicro: bigint
  /** A field that an upstream cannot take is refused instead of dropped with a warning. */
  readonly isStrict: boolean
  /** What happens to a feature that has no price; undefined leaves it as it is. */
  readonly unpricedFeatures?: 'refuse' | 'token_price' | undefined
  /** What happens to a request that names an object of the upstream's account; undefined leaves it as it is. */
  readonly sharedObjects?: 'refuse' | 'allow' | undefined
  /** Who may use it; undefined leaves that as it is, which is everybody for a new group. */
  readonly grants?: readonly ProvisionGrant[] | 'all' | undefined
  /** The models that stand in for one, by its id; undefined leaves those that are there. */
  readonly fallbacks?: Readonly<Record<string, readonly string[]>> | undefined
}

export interface ProvisionGrant {
  readonly accountId: string
  readonly endsAtMs: number | undefined
}

/** US$ per million tokens, and per request, in nano. */
export interface ProvisionPrice {
  readonly inputNano: Nano
  readonly cacheReadNano: Nano
  readonly cacheWrite5mNano: Nano
  readonly cacheWrite1hNano: Nano
  readonly outputNano: Nano
  readonly requestNano: Nano
  /** Over the known prices of the model; null: none. Undefined leaves those that are there. */
  readonly features?: FeatureSettings | undefined
  /** What tokens cost when the prompt is long. Undefined leaves what is there, in proportion. */
  readonly tiers?: readonly PriceTier[] | undefined
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

/** Undefined leaves an option as it is, null sets it back to its default. */
export interface ProvisionOptions {
  readonly concurrencyMax?: number | null | undefined
  readonly timeouts?: Partial<UpstreamTimeouts> | undefined
  /** PEM text. */
  readonly ca?: string | null | undefined
  readonly allowsPrivate?: boolean | undefined
  readonly billsOnAbort?: boolean | null | undefined
  readonly probe?:
    | { readonly everyMs: number; readonly model?: string | undefined }
    | null
    | undefined
  readonly parameters?: ParameterPolicy | undefined
}

export interface ProvisionCredential {
  readonly name: string
  readonly value: string
}

export interface ProvisionRoute {
  readonly id: string
  /** The upstream's own name for the model. */
  readonly as: string
  /** Undefined: the upstream's. */
  readonly priority?: number | undefined
  readonly weight?: number | undefined
  readonly parameters?: ParameterPolicy | undefined
}

export interface ProvisionUpstream extends Written {
  readonly id: string
  readonly vendor: string
  readonly protocol: UpstreamProtocol
  readonly baseUrl: string
  /** All that it has; undefined leaves those that are there. */
  readonly credentials: readonly ProvisionCredential[] | undefined
  readonly groups: readonly string[]
  readonly models: readonly ProvisionRoute[]
  readonly priority: number
  readonly weight: number
  readonly options?: ProvisionOptions | undefined
  /** With user and password; null: none; undefined leaves it as it is. */
  readonly proxy?: string | null | undefined
  readonly isEnabled?: boolean | undefined
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

export interface ProvisionKey extends Written, KeySettings {
  readonly id: string
  /** Undefined: a value is made when the key is. */
  readonly value: string | undefined
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
