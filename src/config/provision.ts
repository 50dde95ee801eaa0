import type { accountDefinition } from '../accounts/definition/account.ts'
import type { provisionedUserDefinition } from '../accounts/definition/user.ts'
import type { AlertValues } from '../alerts/definition/alert.ts'
import type { GivenGroup } from '../catalog/definition/group.ts'
import type { GivenModel, PlannedPrice } from '../catalog/definition/model.ts'
import type { PriceSettings } from '../catalog/definition/price.ts'
import type { GivenRoute } from '../catalog/definition/route.ts'
import type { GivenCredential, GivenUpstream } from '../catalog/definition/upstream.ts'
import type { Nano } from '../core/money/money.ts'
import type { UpstreamProtocol } from '../core/neutral/protocol-name.ts'
import type { GivenOf, ValuesOf } from '../fields/definition.ts'
import type { KeyValues } from '../keys/definition/key.ts'

/** The position of an entry, such as `tollgate.yaml:12`, for messages. */
interface Written {
  readonly where: string
}

/** An undefined field leaves the stored value unchanged. */
export interface ProvisionGroup extends Written, GivenGroup {}

/**
 * A model without a price is listed, and its requests are refused until it has a price. An undefined rate limit stays
 * unchanged.
 */
export interface ProvisionModel extends Written, GivenModel {
  readonly price: PriceSettings | undefined
  /** All planned prices; undefined leaves the stored ones unchanged. */
  readonly plannedPrices?: readonly PlannedPrice[] | undefined
}

/** An undefined field takes the upstream's value. */
export interface ProvisionRoute extends Omit<GivenRoute, 'group' | 'upstream'> {
  readonly groups?: readonly string[] | undefined
}

export interface ProvisionUpstream extends Written, Omit<GivenUpstream, 'protocol' | 'baseUrl'> {
  readonly protocol: UpstreamProtocol
  readonly baseUrl: string
  /** All credentials; undefined leaves the stored ones unchanged. */
  readonly credentials: readonly GivenCredential[] | undefined
  readonly groups: readonly string[]
  readonly models: readonly ProvisionRoute[]
  readonly priority: number
  readonly weight: number
}

/** An undefined field leaves the stored value unchanged. */
export interface ProvisionAccount extends Written, GivenOf<typeof accountDefinition> {
  /** Granted once, however often the file is applied. */
  readonly creditNano: Nano | undefined
}

/** An undefined field leaves the stored value unchanged; the source is only read for a new user. */
export interface ProvisionUser extends Written, ValuesOf<typeof provisionedUserDefinition> {
  /** Undefined leaves the password unchanged. */
  readonly password: string | undefined
}

export interface ProvisionKey extends Written, KeyValues {
  readonly id: string
  /** Undefined: the gateway generates a value when it creates the key. */
  readonly value: string | undefined
}

/** An undefined URL or secret leaves the stored value unchanged. */
export interface ProvisionAlert extends Written, AlertValues {
  readonly id: string
}

/** The objects that the config file wants to exist. Other objects are left alone. */
export interface Provision {
  readonly groups: readonly ProvisionGroup[]
  readonly models: readonly ProvisionModel[]
  readonly upstreams: readonly ProvisionUpstream[]
  readonly accounts: readonly ProvisionAccount[]
  readonly users: readonly ProvisionUser[]
  readonly keys: readonly ProvisionKey[]
  readonly alerts: readonly ProvisionAlert[]
}
