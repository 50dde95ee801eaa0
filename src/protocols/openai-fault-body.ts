import type { Fault, FaultCode } from '../core/fault.ts'
import type { JsonObject } from '../wire/json.ts'

/** Words that OpenAI's clients know for the reasons that are not plain bad requests. */
const types: Partial<Record<FaultCode, string>> = {
  insufficient_credit: 'insufficient_quota',
  key_quota_exhausted: 'insufficient_quota',
  rate_limit_exceeded: 'requests',
}

/** The error body that chat-completions and responses share. */
export function openaiFaultBody(fault: Fault): JsonObject {
  const { upstream, param } = fault.details
  const ownType =
    types[fault.code] ?? (fault.status >= 500 ? 'server_error' : 'invalid_request_error')
  return {
    error: {
      message: fault.message,
      type: upstream?.type ?? ownType,
      param: upstream?.param ?? param ?? null,
      code: upstream?.code ?? fault.code,
      ...(upstream ? { reason: fault.code } : {}),
    },
  }
}
