import { z } from 'zod'
import { groupDefinition } from '../../catalog/definition/group.ts'
import { modelDefinition } from '../../catalog/definition/model.ts'
import { protocolNames } from '../../core/neutral/protocol-name.ts'
import {
  type Definition,
  type EditWireOf,
  type Fields,
  type NewWireOf,
  partOf,
  shownShape,
  type WireOf,
} from '../../fields/definition.ts'
import { keyDefinition, type newKeyDefinition } from '../../keys/definition/key.ts'
import { budgetState } from './budgets.ts'
import { list, nanoText, page, timeMs } from './shapes.ts'

export const keyState = z.enum(['active', 'disabled', 'expired', 'exhausted', 'stopped'])
export type KeyState = z.infer<typeof keyState>

/** The settings of a key that a person chooses, and its owner. */
type KeyShown = WireOf<typeof keyDefinition>

/** The members that the API returns in addition to the settings of a key. */
const keyFacts = z.strictObject({
  id: z.string(),
  state: keyState,
  /** The beginning and the end of the value; empty when the key has none. */
  hint: z.string(),
  /** Of the owner of a personal key; null for a service key, and when the user is deleted. */
  ownerEmail: z.string().nullable(),
  spentNano: nanoText,
  /** The spending limits by period; empty when there are none. */
  budgets: list(budgetState),
  createdAt: timeMs,
  /** The newest request in the log; null if the log has none. */
  lastUsedAt: timeMs.nullable(),
})

/** A key as lists show it, with every field of the definition; the value itself is never in a list. */
export function keyRowOf<Of extends Fields>({ fields }: Definition<Of>) {
  return z.strictObject({ ...keyFacts.shape, ...shownShape(fields) })
}

export const keyRow = keyRowOf(keyDefinition)
export type KeyRow = z.infer<typeof keyRow>

/**
 * GET /keys?account=&search=&sort=&order=&after= ; `search` is part of a name, or of the hint; `order` is asc or desc.
 * By default the newest key comes first. GET /keys/{id} → KeyRow
 */
export const keysAnswer = z.strictObject({
  ...page.shape,
  keys: list(keyRow),
})
export type KeysAnswer = z.infer<typeof keysAnswer>

/** The settings of a key that a person chooses. */
export type KeySettings = Omit<KeyShown, 'accountId' | 'ownerId' | 'isLocked' | 'priority'> &
  Partial<Pick<KeyShown, 'isLocked' | 'priority'>>

/** POST /keys → KeyPut. Only an operator or a token may supply a value. */
export type CreateKeyRequest = NewWireOf<typeof newKeyDefinition>

/** PATCH /keys/{id} → KeyRow; absent members stay unchanged. DELETE /keys/{id} → DoneAnswer */
export type KeyEdit = EditWireOf<typeof keyDefinition>

/** The answer to POST /keys/{id}/rotate and POST /keys/{id}/convert: the old value stops working at once. */
export const keyWithValue = z.strictObject({
  key: keyRow,
  value: z.string(),
})
export type KeyWithValue = z.infer<typeof keyWithValue>

/**
 * POST /keys, PUT /keys/{id}; the value is null if the key already existed, and for the personal key of another user
 * than the caller.
 */
export const keyPut = z.strictObject({
  key: keyRow,
  value: z.string().nullable(),
})
export type KeyPut = z.infer<typeof keyPut>

/** POST /keys/{id}/reveal. Refused with `reauthenticate` when the sign-in is not fresh. */
export const revealedKey = z.strictObject({
  value: z.string(),
})
export type RevealedKey = z.infer<typeof revealedKey>

export const groupChoice = z.strictObject({
  ...shownShape(partOf(groupDefinition, ['id', 'factor']).fields),
  /** The number of models that can be called in this group. */
  modelCount: z.number(),
  /** When the account's grant of the group ends; null: no end. */
  until: timeMs.nullable(),
})
export type GroupChoice = z.infer<typeof groupChoice>

export const modelChoice = z.strictObject({
  ...shownShape(partOf(modelDefinition, ['id', 'displayName']).fields),
  /** The groups of this account in which the model can be called. */
  groups: list(z.string()),
})
export type ModelChoice = z.infer<typeof modelChoice>

/** The URLs for the clients of one protocol. */
export const endpoint = z.strictObject({
  protocol: z.enum(protocolNames),
  /** The base URL for an SDK of this protocol: with /v1 for OpenAI's, without for the others. */
  baseUrl: z.string(),
  /** The complete URL of a request; `{model}` stands for the model in generate-content. */
  url: z.string(),
})
export type Endpoint = z.infer<typeof endpoint>

/** GET /key-options?account= (the account is required): everything that the form of a key and the snippets need. */
export const keyOptions = z.strictObject({
  groups: list(groupChoice),
  models: list(modelChoice),
  /** Whether the caller can own a key of this account; if not, new keys are service keys. */
  mayOwn: z.boolean(),
  /** The client address of this request, as the gateway sees it. */
  yourAddress: z.string(),
  endpoints: list(endpoint),
})
export type KeyOptions = z.infer<typeof keyOptions>
