import { newRequestId } from '../../src/core/id.ts'
import { noUsage } from '../../src/core/money/usage.ts'
import type { HoldRequest, Settlement } from '../../src/ledger/ledger.ts'
import type { ShapedRecord } from '../../src/store/units/shape.ts'
import { usageRecords } from '../../src/usage/usage-records.ts'
import { accountOf, keyOf } from './bench-accounts.ts'

const usage = { ...noUsage, input: 22, output: 128 }
const costNano = 1_335_000n
const model = 'bench-model'
const protocol = 'chat-completions'
const groupId = 'default'
const clientAddress = '127.0.0.1'
const priceVersionId = 'price-bench-model-1'
const upstreamId = 'minimal'

export const benchSettlement: Settlement = {
  costNano,
  usage,
  usageSource: 'upstream',
  priceVersionId,
  factorMicro: 1_000_000n,
  flags: [],
}

/** The hold that the gateway would request for a completion of the bench. */
export function benchHoldRequest(keyNumber: number): HoldRequest {
  const at = Date.now()
  return {
    requestId: newRequestId(at),
    accountId: accountOf(keyNumber),
    keyId: keyOf(keyNumber),
    amountNano: 2_000_000n,
    recoveryNano: 55_000n,
    recovery: {
      at,
      model,
      protocol,
      groupId,
      priceVersionId,
      factorMicro: 1_000_000,
      inputTokens: 22,
      isStream: false,
      clientAddress,
    },
  }
}

/** The records that the gateway would log for the request. */
export function benchRecords({
  requestId,
  accountId,
  keyId,
  recovery,
}: HoldRequest): ShapedRecord[] {
  const attempt = {
    upstreamId,
    credential: undefined,
    status: 200,
    reason: undefined,
    firstByteMs: 9,
    totalMs: 12,
    note: undefined,
  }
  const record = {
    requestId,
    at: recovery.at,
    accountId,
    keyId,
    model,
    protocol,
    groupId,
    isStream: false,
    status: 200,
    reason: undefined,
    costNano,
    firstTokenMs: undefined,
    totalMs: 12,
    clientAddress,
    clientRequestId: undefined,
    upstreamId,
    upstreamRequestId: undefined,
    warnings: [],
    attempts: [attempt],
  }
  return usageRecords(record, usage)
}
