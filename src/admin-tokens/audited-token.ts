import type { AdminToken } from './admin-token.ts'

/** What the audit log says of a token: all that was decided about it, and nothing that opens anything. */
export function auditedToken({ name, scopes, accountId, expiresAtMs, addresses }: AdminToken) {
  return {
    name,
    scopes,
    accountId: accountId ?? null,
    expiresAt: expiresAtMs ?? null,
    addresses: addresses ?? null,
  }
}
