/*
 * The rights of an admin token. The browser imports this file too.
 *
 * Every operation belongs to an area and has one kind. A scope named after an area allows everything in the area except
 * granting rights. `read` allows every read, but no secrets and no recorded bodies. `all` allows everything that a token can do.
 */

const areaScopes = ['keys', 'catalogue', 'accounts', 'money', 'usage', 'recordings'] as const
export const adminScopes = ['read', ...areaScopes, 'all'] as const
export type AdminScope = (typeof adminScopes)[number]

/** `system` has no scope of its own. `personal` concerns the person who is signed in. */
export const adminAreas = [...areaScopes, 'system', 'personal'] as const
export type AdminArea = (typeof adminAreas)[number]

/**
 * `reveals` shows or uses a stored secret. `grants` lets a person sign in or extends rights. `grants` needs `all`: a
 * token with less could otherwise give itself the rest.
 */
export const operationKinds = ['reads', 'changes', 'moves-money', 'reveals', 'grants'] as const
export type OperationKind = (typeof operationKinds)[number]

export interface ScopedOperation {
  readonly area: AdminArea
  readonly kind: OperationKind
  /**
   * `account`: the operation stays inside accounts that the caller may see. `gateway`: the operation is for operators.
   */
  readonly reach: 'account' | 'gateway'
}

/**
 * The part of a token that decides. A token for one account acts as an owner of the account and never as an operator.
 */
export interface TokenRights {
  readonly scopes: readonly AdminScope[]
  readonly accountId: string | undefined
}

export interface RightsRefusal {
  /**
   * `personal`: no token may call the operation. `gateway`: only a token for the whole gateway may. `scope`: a scope is
   * missing.
   */
  readonly reason: 'personal' | 'gateway' | 'scope'
  /** The scopes of which any one is enough; empty when no scope is. */
  readonly enough: readonly AdminScope[]
}

/** Returns undefined when the token may call the operation. */
export function mayCall(token: TokenRights, operation: ScopedOperation): RightsRefusal | undefined {
  const enough = sufficientScopes(operation)
  if (enough.length === 0) return { reason: 'personal', enough }
  if (operation.reach === 'gateway' && token.accountId !== undefined) {
    return { reason: 'gateway', enough }
  }
  return enough.some((scope) => token.scopes.includes(scope))
    ? undefined
    : { reason: 'scope', enough }
}

/** The scopes of which any one allows the operation. */
export function sufficientScopes({ area, kind }: ScopedOperation): readonly AdminScope[] {
  if (area === 'personal') return []
  const own = areaScopes.filter((scope) => scope === area)
  switch (kind) {
    case 'reads':
      return ['read', ...own, 'all']
    case 'changes':
    case 'reveals':
      return [...own, 'all']
    case 'moves-money':
      return ['money', 'all']
    case 'grants':
      return ['all']
  }
}

/** Whether the first list of scopes allows everything that the second allows. */
export function coversScopes(mine: readonly AdminScope[], wanted: readonly AdminScope[]): boolean {
  return mine.includes('all') || wanted.every((scope) => mine.includes(scope))
}
