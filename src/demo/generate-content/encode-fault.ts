import type { JsonObject } from '../../wire/json.ts'
import type { DemoFault } from '../demo-protocol.ts'

export function encodeFault({ status, message }: DemoFault): JsonObject {
  const statusName = status === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT'
  return { error: { code: status, message, status: statusName } }
}
