import type { RequestReason } from '../core/codes.ts'
import type { RecoveredRequest } from '../ledger/journal/recover.ts'
import type { UsageRecord } from '../usage/usage-record.ts'

/** The usage row of a request whose process died, from the facts in its hold. */
export function recoveredRecord({ record, settlement }: RecoveredRequest): UsageRecord {
  const { requestId, accountId, keyId, story } = record
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
    reason: 'interrupted' satisfies RequestReason,
    costNano: settlement.costNano,
    firstTokenMs: undefined,
    totalMs: 0,
    clientAddress: story.clientAddress,
    clientRequestId: undefined,
    upstreamId: undefined,
    upstreamRequestId: undefined,
    warnings: [],
    attempts: [],
  }
}
