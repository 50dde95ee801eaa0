import type { ProtocolName } from '../../core/protocol-name.ts'
import type { NanoText, Page, TimeMs } from './basics.ts'

export type KeyState = 'active' | 'disabled' | 'expired' | 'exhausted'

/** A key as lists show it; the value itself is never in a list. */
export interface KeyRow {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly state: KeyState
  readonly isEnabled: boolean
  /** The beginning and the end of the value. */
  readonly hint: string
  /** One entry is a fixed group, several are the automatic order. */
  readonly groups: readonly string[]
  /** Null means no restriction; an empty list allows no model. */
  readonly models: readonly string[] | null
  /** Null means from anywhere. */
  readonly addresses: readonly string[] | null
  /** Null means no limit. */
  readonly quotaNano: NanoText | null
  readonly spentNano: NanoText
  readonly expiresAt: TimeMs | null
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
export interface KeySettings {
  readonly name: string
  readonly groups: readonly string[]
  readonly models: readonly string[] | null
  readonly addresses: readonly string[] | null
  readonly quotaNano: NanoText | null
  readonly expiresAt: TimeMs | null
  readonly isEnabled: boolean
}

/** POST /keys → KeyWithValue */
export interface CreateKeyRequest extends KeySettings {
  readonly accountId: string
}

/** PATCH /keys/{id} → KeyRow; what is absent stays as it is. DELETE /keys/{id} → DoneAnswer */
export type KeyEdit = Partial<KeySettings>

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
