/*
 * What a token of the admin API may do. The browser imports this too.
 *
 * An operation belongs to an area and is of one kind. A scope with the name of an area allows everything there but what
 * hands out rights; `read` allows every read, and no secret; `all` allows everything that a token can do at all.
 */

const areaScopes = ['keys', 'catalogue', 'accounts', 'money', 'usage'] as const
export const adminScopes = ['read', ...areaScopes, 'all'] as const
export type AdminScope = (typeof adminScopes)[number]

/** `system` has no scope of its own; what is `personal` is about the person who is signed in. */
export const adminAreas = [...areaScopes, 'system', 'personal'] as const
export type AdminArea = (typeof adminAreas)[number]

/**
 * `reveals` shows or uses a stored secret. `grants` lets somebody sign in or widens what they may do: whoever could do
 * that with less than `all` could give themselves the rest.
 */
export const operationKinds = ['reads', 'changes', 'moves-money', 'reveals', 'grants'] as const
export type OperationKind = (typeof operationKinds)[number]

export interface ScopedOperation {
  readonly area: AdminArea
  readonly kind: OperationKind
  /** Whether it stays inside accounts that the caller may see, or is an operator's. */
  readonly reach: 'account' | 'gateway'
}

/** The part of a token that decides. A token for one account acts as an owner of it and never as an operator. */
export interface TokenRights {
  readonly scopes: readonly AdminScope[]
  readonly accountId: string | undefined
}

export interface RightsRefusal {
  /** `personal`: no token may. `gateway`: only a token for the whole gateway may. `scope`: a scope is missing. */
  readonly reason: 'personal' | 'gateway' | 'scope'
  /** The scopes each of which would be enough; empty when none is. */
  readonly enough: readonly AdminScope[]
}

/** Undefined when the token may call the operation. */
export function mayCall(token: TokenRights, operation: ScopedOperation): RightsRefusal | undefined {
  const enough = enoughFor(operation)
  if (enough.length === 0) return { reason: 'personal', enough }
  if (operation.reach === 'gateway' && token.accountId !== undefined) {
    return { reason: 'gateway', enough }
  }
  return enough.some((scope) => token.scopes.includes(scope))
    ? undefined
    : { reason: 'scope', enough }
}

/** The scopes each of which allows the operation. */
export function enoughFor({ area, kind }: ScopedOperation): readonly AdminScope[] {
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

/** Whether the first list allows everything that the second one does. */
export function coversScopes(mine: readonly AdminScope[], wanted: readonly AdminScope[]): boolean {
  return mine.includes('all') || wanted.every((scope) => mine.includes(scope))
}
