import type { JsonObject } from '../../wire/json.ts'
import type { DemoFault } from '../demo-protocol.ts'

export function encodeFault({ status, message }: DemoFault): JsonObject {
  const type = status === 404 ? 'not_found_error' : 'invalid_request_error'
  return { type: 'error', error: { type, message }, request_id: 'req_demo' }
}
