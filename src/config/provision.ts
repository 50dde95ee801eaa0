import type { ConsoleRole } from '../accounts/definition/user.ts'
import type { GivenGroup } from '../catalog/definition/group.ts'
import type { ModelSettings } from '../catalog/definition/model.ts'
import type { PriceSettings } from '../catalog/definition/price.ts'
import type { GivenRoute } from '../catalog/definition/route.ts'
import type { CredentialSettings, GivenUpstream } from '../catalog/definition/upstream.ts'
import type { Nano } from '../core/money.ts'
import type { UpstreamProtocol } from '../core/protocol-name.ts'
import type { KeySettings } from '../keys/definition/key.ts'

/** Where an entry is written, such as `tollgate.yaml:12`, for sentences about it. */
interface Written {
  readonly where: string
}

/** What is undefined in an entry is left as it is. */
export interface ProvisionGroup extends Written, GivenGroup {}

/** Without a price the model is listed, and refused until it has one. */
export interface ProvisionModel extends Written, ModelSettings {
  readonly price: PriceSettings | undefined
}

/** What is undefined is the upstream's. */
export type ProvisionRoute = Omit<GivenRoute, 'group' | 'upstream'>

export interface ProvisionUpstream extends Written, Omit<GivenUpstream, 'protocol' | 'baseUrl'> {
  readonly protocol: UpstreamProtocol
  readonly baseUrl: string
  /** All that it has; undefined leaves those that are there. */
  readonly credentials: readonly CredentialSettings[] | undefined
  readonly groups: readonly string[]
  readonly models: readonly ProvisionRoute[]
  readonly priority: number
  readonly weight: number
}

export interface ProvisionAccount extends Written {
  readonly id: string
  readonly name: string
  /** Granted once, however often the file is applied. */
  readonly creditNano: Nano | undefined
}

export interface ProvisionUser extends Written {
  readonly email: string
  /** Undefined leaves the password as it is. */
  readonly password: string | undefined
  readonly role: ConsoleRole
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
