import type { z } from 'zod'
import type { AccountRole } from '../account.ts'

/**
 * The resources that a call may touch:
 * - `self`: only the caller's own user and sessions;
 * - `accounts`: the resources of accounts that the caller may see, narrowed by `?account=`, which must be one of them;
 * - `one-account`: the same, and `?account=` must be there;
 * - `body-account`: the account that `accountId` of the body names;
 * - `path-account`: the account that the path names;
 * - `path-member`: the same; for the caller's own membership any role is enough;
 * - `path-key`: the key that the path names: the caller's own key, or any key of an account that the caller owns;
 * - `path-key-value`: the same, and the caller may have the value: of their own key, or of a service key of an account
 *   that they own;
 * - `path-request`: the row of the log that the path names, of such a key;
 * - `path-recordings`: the recordings of the account that the path names, if the account lets the caller read them;
 * - `path-recording`: the recording that the path names, in the same way;
 * - `path-own-account`: the account that the path names, only for its own members: an operator is not one of them;
 * - `everything`: all resources. Only for administrators.
 */
export type Ownership =
  | 'self'
  | 'accounts'
  | 'one-account'
  | 'body-account'
  | 'path-account'
  | 'path-member'
  | 'path-key'
  | 'path-key-value'
  | 'path-request'
  | 'path-recordings'
  | 'path-recording'
  | 'path-own-account'

/** The permitted callers, and the resources that they may touch. */
export type Permission =
  | { readonly who: 'anonymous'; readonly owns: 'self' }
  | {
      readonly who: 'member'
      readonly owns: Ownership
      /** The minimum role in the account; `viewer` if absent. */
      readonly role?: AccountRole
      /** The caller must have signed in recently. */
      readonly isFresh?: true
    }
  | { readonly who: 'admin'; readonly owns: 'everything'; readonly isFresh?: true }

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A method and a path. In the path `{id}` is one segment, and `{rest}` is everything after it. */
export type OperationName = `${Method} /${string}`

/** An operation of the back end: everything except its handler. */
export type Operation = Permission & {
  /** One line for the OpenAPI description. */
  readonly summary: string
  /** Query parameters; none if absent. */
  readonly query?: z.ZodType
  /** JSON body; none if absent. */
  readonly body?: z.ZodType
  /** One caller may send only so many in a while; more are refused with 429. */
  readonly isThrottled?: true
  /** A GET that changes something: a HEAD is refused. */
  readonly hasEffect?: true
  /** A body that is accepted, where members depend on each other or name other resources. */
  readonly example?: object
  /** Limit of the body, if the default is too small. */
  readonly bodyBytesMax?: number
  /** JSON response; null for another response, such as a file. */
  readonly answer: z.ZodType | null
  /** Media types of such a file; `rowFileTypes` if absent. */
  readonly fileTypes?: readonly string[]
}

/** Media types of an export of rows. */
export const rowFileTypes: readonly string[] = ['text/csv', 'application/x-ndjson']

export type OperationTable = { readonly [Name in OperationName]: Operation }

export const anyone = { who: 'anonymous', owns: 'self' } as const
export const self = { who: 'member', owns: 'self' } as const
export const accounts = { who: 'member', owns: 'accounts' } as const
export const oneAccount = { who: 'member', owns: 'one-account' } as const
export const operator = { who: 'admin', owns: 'everything' } as const

export function splitName(name: string): { readonly method: string; readonly path: string } {
  const at = name.indexOf(' ')
  return { method: name.slice(0, at), path: name.slice(at + 1) }
}
