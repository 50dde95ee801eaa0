import type { AccountRole } from '../../accounts/definition/member.ts'
import type { Session } from '../../accounts/session-store.ts'
import type { AdminToken } from '../../admin-tokens/admin-token.ts'
import { findToken } from '../../admin-tokens/find-token.ts'
import type { TokenUses } from '../../admin-tokens/token-uses.ts'
import { actorOfToken } from '../../admin-tokens/token-value.ts'
import { mayCall, type ScopedOperation } from '../../core/access/admin-scope.ts'
import type { Engine } from '../../store/engine.ts'
import type { ConsoleDeps } from '../ports/console-parts.ts'
import { ApiRefusal } from '../refusal.ts'

/** The headers that a token arrived in, and the address that it came from. */
interface TokenPlace {
  readonly headers: Headers
  readonly address: string
}

type TokenDeps = Pick<ConsoleDeps, 'vault' | 'clock'>

/** Authenticates the bearer token of a request. Its use is recorded after the response. */
export async function authenticateToken(
  deps: TokenDeps & Pick<ConsoleDeps, 'engine'>,
  uses: TokenUses,
  place: TokenPlace,
): Promise<AdminToken> {
  const token = await readBearer(deps.engine.db, deps, place)
  uses.note(token.id, { address: place.address, atMs: deps.clock.nowMs() })
  return token
}

/** The token as it is now; throws when it may not be used. */
export async function readBearer(
  db: Engine['db'],
  { vault, clock }: TokenDeps,
  { headers, address }: TokenPlace,
): Promise<AdminToken> {
  const [, value] = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? []
  if (value === undefined) {
    throw new ApiRefusal('invalid_token', 'Send an admin token as "Authorization: Bearer tgat_…".')
  }
  const verdict = await findToken({ db }, vault, { value, address, nowMs: clock.nowMs() })
  if (verdict.isGood) return verdict.token
  if (verdict.status === 403) {
    throw new ApiRefusal('address_not_allowed', 'This token cannot be used from this IP address.')
  }
  throw new ApiRefusal(
    'invalid_token',
    'This token is unknown, incomplete, revoked or expired, or its creator lost access. Create a new token.',
  )
}

/** Refuses a call that the token does not allow; see `operationsOf`. */
export function allowCall(token: AdminToken, operations: readonly ScopedOperation[]): void {
  for (const operation of operations) {
    const refusal = mayCall(token, operation)
    if (!refusal) continue
    switch (refusal.reason) {
      case 'personal':
        throw new ApiRefusal('not_allowed', 'Tokens cannot do this. Sign in to the console.')
      case 'gateway':
        throw new ApiRefusal(
          'scope_missing',
          'This token is for one account. This operation needs a token for the whole gateway.',
        )
      case 'scope':
        throw new ApiRefusal(
          'scope_missing',
          `This token lacks the required scope. One of these is needed: ${refusal.enough.join(', ')}.`,
        )
    }
  }
}

/** A session for a token: as an administrator, or as an owner of one account. The audit log names the token. */
export function sessionOfToken(token: AdminToken, nowMs: number): Session {
  const actor = actorOfToken(token.id)
  return {
    id: actor,
    tokenHash: '',
    userId: actor,
    email: token.name,
    invitedTo: undefined,
    isAdmin: token.accountId === undefined,
    hasPassword: false,
    hasTotp: false,
    hasOpenId: false,
    source: 'manual',
    language: null,
    theme: null,
    createdAtMs: token.createdAtMs,
    authenticatedAtMs: nowMs,
  }
}

/** The roles of a token by account; undefined for all accounts. */
export function rolesOfToken({
  accountId,
}: AdminToken): ReadonlyMap<string, AccountRole> | undefined {
  return accountId === undefined ? undefined : new Map([[accountId, 'owner']])
}
