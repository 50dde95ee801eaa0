import type { ProtocolName } from '../../core/protocol-name.ts'
import type { EditWireOf, NewWireOf, WireOf } from '../../fields/definition.ts'
import type { keyDefinition } from '../../keys/definition/key.ts'
import type { NanoText, Page, TimeMs } from './basics.ts'

export type KeyState = 'active' | 'disabled' | 'expired' | 'exhausted'

/** What a person decides about a key, and whose it is. */
type KeyShown = WireOf<typeof keyDefinition>

/** A key as lists show it; the value itself is never in a list. */
export interface KeyRow extends KeyShown {
  readonly id: string
  readonly state: KeyState
  /** The beginning and the end of the value. */
  readonly hint: string
  readonly spentNano: NanoText
  readonly createdAt: TimeMs
  /** The newest request in the log; null when there is none (any more). */
  readonly lastUsedAt: TimeMs | null
}

/** What keys can be listed by. */
export const keySorts = ['created', 'name', 'expires'] as const

/**
 * GET /keys?account=&search=&sort=&order=&after= ; `search` is part of a name, or of the hint; `order` is asc or desc.
 * The newest key comes first when nothing is said. GET /keys/{id} → KeyRow
 */
export interface KeysAnswer extends Page {
  readonly keys: readonly KeyRow[]
}

/** What a person decides about a key. */
export type KeySettings = Omit<KeyShown, 'accountId'>

/** POST /keys → KeyWithValue */
export type CreateKeyRequest = NewWireOf<typeof keyDefinition>

/** PATCH /keys/{id} → KeyRow; what is absent stays as it is. DELETE /keys/{id} → DoneAnswer */
export type KeyEdit = EditWireOf<typeof keyDefinition>

/** Also the answer to POST /keys/{id}/rotate: the old value stops working at once. */
export interface KeyWithValue {
  readonly key: KeyRow
  readonly value: string
}

/** POST /keys/{id}/reveal. Refused with `reauthenticate` when the sign-in is not fresh. */
export interface RevealedKey {
  readonly value: string
}

export interface GroupChoice {
  readonly id: string
  /** Prices are multiplied with it, in decimal: `1.5`. */
  readonly factor: string
  /** How many models can be called in it. */
  readonly modelCount: number
  /** When the account's grant of the group ends; null: no end. */
  readonly until: TimeMs | null
}

export interface ModelChoice {
  readonly id: string
  readonly displayName: string
  /** Groups of this account in which it can be called. */
  readonly groups: readonly string[]
}

/** GET /keys/options?account= (the account is required): all that the key's form and the snippets need. */
export interface KeyOptions {
  readonly groups: readonly GroupChoice[]
  readonly models: readonly ModelChoice[]
  /** Where this request comes from, as the gateway sees it. */
  readonly yourAddress: string
  readonly endpoints: readonly Endpoint[]
}

/** Where each protocol's clients are pointed at. */
export interface Endpoint {
  readonly protocol: ProtocolName
  /** What an SDK of this protocol takes as its base address: with /v1 for OpenAI's, without for the others. */
  readonly baseUrl: string
  /** The whole address of a request; `{model}` stands for the model in generate-content. */
  readonly url: string
}
