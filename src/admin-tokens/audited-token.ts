import type { AdminToken } from './admin-token.ts'

/** The audit log's record of a token: all its settings and no secret. */
export function auditedToken({ name, scopes, accountId, expiresAtMs, addresses }: AdminToken) {
  return {
    name,
    scopes,
    accountId: accountId ?? null,
    expiresAt: expiresAtMs ?? null,
    addresses: addresses ?? null,
  }
}
