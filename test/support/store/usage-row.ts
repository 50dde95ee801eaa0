import { usageRecords } from '../../../src/usage/usage-records.ts'

/** The rows of the request log for a request that ended well and at once. */
export function usageRow(given: {
  readonly requestId: string
  readonly at: number
  readonly accountId: string
  readonly keyId: string
  readonly costNano: bigint
}) {
  return usageRecords({
    ...given,
    model: 'm',
    protocol: 'messages',
    groupId: 'g',
    isStream: false,
    status: 200,
    reason: undefined,
    totalMs: 1,
    firstTokenMs: undefined,
    clientRequestId: undefined,
    upstreamRequestId: undefined,
    clientAddress: '',
    upstreamId: 'one',
    warnings: [],
    attempts: [],
  })
}
