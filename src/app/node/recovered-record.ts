import type { RequestReason } from '../../core/codes.ts'
import type { RecoveredRequest } from '../../ledger/journal/recover.ts'
import type { UsageRecord } from '../../usage/usage-record.ts'

/** The usage row of a request whose process died, from the facts in its hold. */
export function recoveredRecord({ record, settlement }: RecoveredRequest): UsageRecord {
  const { requestId, accountId, keyId, recovery } = record
  return {
    requestId,
    at: recovery.at,
    accountId,
    keyId,
    model: recovery.model,
    protocol: recovery.protocol,
    groupId: recovery.groupId,
    isStream: recovery.isStream,
    status: 500,
    reason: 'interrupted' satisfies RequestReason,
    costNano: settlement.costNano,
    firstTokenMs: undefined,
    totalMs: 0,
    clientAddress: recovery.clientAddress,
    clientRequestId: undefined,
    upstreamId: undefined,
    upstreamRequestId: undefined,
    warnings: [],
    attempts: [],
  }
}
