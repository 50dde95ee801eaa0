import type { JsonObject } from '../wire/json.ts'
import type { DemoFault } from './demo-protocol.ts'

/** The error body that chat-completions and responses share. */
export function encodeOpenaiFault(fault: DemoFault): JsonObject {
  const { message, param } = fault
  return { error: { message, type: 'invalid_request_error', param: param ?? null, code: null } }
}
