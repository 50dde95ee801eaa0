import type { AccountStatus } from '../accounts/definition/account.ts'
import type { ConsoleRole, Membership } from '../accounts/definition/user.ts'
import type { GivenGroup } from '../catalog/definition/group.ts'
import type { ModelValues, PlannedPrice } from '../catalog/definition/model.ts'
import type { PriceSettings } from '../catalog/definition/price.ts'
import type { GivenRoute } from '../catalog/definition/route.ts'
import type { GivenCredential, GivenUpstream } from '../catalog/definition/upstream.ts'
import type { Nano } from '../core/money.ts'
import type { UpstreamProtocol } from '../core/protocol-name.ts'
import type { KeyValues } from '../keys/definition/key.ts'

/** Where an entry is written, such as `tollgate.yaml:12`, for sentences about it. */
interface Written {
  readonly where: string
}

/** What is undefined in an entry is left as it is. */
export interface ProvisionGroup extends Written, GivenGroup {}

/** Without a price the model is listed, and refused until it has one. */
export interface ProvisionModel extends Written, ModelValues {
  readonly price: PriceSettings | undefined
  /** All that are to follow; undefined leaves those that are there. */
  readonly plannedPrices?: readonly PlannedPrice[] | undefined
}

/** What is undefined is the upstream's. */
export interface ProvisionRoute extends Omit<GivenRoute, 'group' | 'upstream'> {
  readonly groups?: readonly string[] | undefined
}

export interface ProvisionUpstream extends Written, Omit<GivenUpstream, 'protocol' | 'baseUrl'> {
  readonly protocol: UpstreamProtocol
  readonly baseUrl: string
  /** All that it has; undefined leaves those that are there. */
  readonly credentials: readonly GivenCredential[] | undefined
  readonly groups: readonly string[]
  readonly models: readonly ProvisionRoute[]
  readonly priority: number
  readonly weight: number
}

export interface ProvisionAccount extends Written {
  readonly id: string
  readonly name: string
  /** What is undefined is left as it is. */
  readonly status?: AccountStatus | undefined
  readonly endsAt?: number | null | undefined
  /** Granted once, however often the file is applied. */
  readonly creditNano: Nano | undefined
}

export interface ProvisionUser extends Written {
  readonly email: string
  /** Undefined leaves the password as it is. */
  readonly password: string | undefined
  readonly role: ConsoleRole
  /** Undefined leaves it as it is. */
  readonly isSuspended?: boolean | undefined
  readonly accounts: readonly Membership[]
}

export interface ProvisionKey extends Written, KeyValues {
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
