import type { Fault, FaultCode } from '../../core/fault.ts'
import type { JsonObject } from '../../wire/json.ts'

/** The error types that OpenAI clients know, for errors other than plain bad requests. */
const types: Partial<Record<FaultCode, string>> = {
  insufficient_credit: 'insufficient_quota',
  key_quota_exhausted: 'insufficient_quota',
  member_budget_exhausted: 'insufficient_quota',
  account_budget_exhausted: 'insufficient_quota',
  rate_limit_exceeded: 'requests',
}

/** The error types of the messages protocol and its edge. Those of generate-content are in capitals. */
const foreignTypes = new Set([
  'authentication_error',
  'billing_error',
  'forbidden',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'api_error',
  'overloaded_error',
  'timeout_error',
])

/** The error body that chat-completions and responses share. */
export function openaiFaultBody(fault: Fault): JsonObject {
  const { upstream, param, resetsAt, limit } = fault.details
  const statusType = fault.status >= 500 ? 'server_error' : 'invalid_request_error'
  const ownType =
    (limit?.kind === 'tokens' ? 'tokens' : undefined) ??
    types[fault.code] ??
    (fault.status === 429 ? 'requests' : statusType)
  // Clients wait and retry on this code, so every rate limit of an upstream gets it.
  const ownCode = upstream && fault.status === 429 ? 'rate_limit_exceeded' : fault.code
  return {
    error: {
      message: fault.message,
      type: knownCode(upstream?.type) ?? ownType,
      param: upstream?.param ?? param ?? null,
      code: knownCode(upstream?.code) ?? ownCode,
      ...(upstream ? { reason: fault.code } : {}),
      ...(resetsAt === undefined ? {} : { resets_at: resetsAt }),
      ...(limit ? { limit: limit.name } : {}),
    },
  }
}

/**
 * The upstream's own error code, unless it belongs to another protocol: OpenAI uses neither numbers nor words in
 * capitals.
 */
function knownCode(code: string | undefined): string | undefined {
  if (code === undefined || foreignTypes.has(code) || /^[A-Z0-9_]+$/.test(code)) return undefined
  return code
}
