import type { RecoveredRequest } from '../ledger/recover-leases.ts'
import type { UsageRecord } from '../usage/usage-log.ts'

/** The row of a request whose process died: what the hold knew of it. */
export function recoveredRecord({
  requestId,
  accountId,
  keyId,
  story,
  settlement,
}: RecoveredRequest): UsageRecord {
  return {
    requestId,
    at: story.at,
    accountId,
    keyId,
    model: story.model,
    protocol: story.protocol,
    groupId: story.groupId,
    isStream: story.isStream,
    status: 500,
    reason: 'interrupted',
    costNano: settlement.costNano,
    firstTokenMs: undefined,
    totalMs: 0,
    clientAddress: story.clientAddress,
    clientRequestId: undefined,
    upstreamRequestId: undefined,
    warnings: [],
    attempts: [],
  }
}
