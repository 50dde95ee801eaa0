import type { TokenUsage } from '../../core/money/usage.ts'
import { isObject, parseJson } from '../../wire/json.ts'
import type { HoldRequest, Progress, RecoveryFacts } from '../ledger.ts'
import { safeNumber } from '../safe-number.ts'

/**
 * Written before a request is forwarded, so that recovery can charge the request if the process dies. Contains only ids
 * and numbers.
 */
export interface AdmitRecord {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly leaseId: string
  /** The counters that the lease takes its money from; absent when no limit applies. */
  readonly budgetSet?: string
  readonly recoveryNano: number | string
  readonly recovery: RecoveryFacts
  /** Usage up to the last checkpoint; absent before the first one. */
  readonly usage?: TokenUsage
}

/** A record as the journal stores it: without field names, which are the same in every record. */
export type AdmitValues = readonly [
  ...AdmittedValues,
  usage?: UsageValues | null,
  budgetSet?: string,
]

type AdmittedValues = [
  requestId: string,
  accountId: string,
  keyId: string,
  leaseId: string,
  recoveryNano: number,
  at: number,
  model: string,
  protocol: string,
  groupId: string,
  priceVersionId: string,
  factorMicro: number,
  inputTokens: number,
  isStream: boolean,
  clientAddress: string,
]

type UsageValues = readonly [
  input: number,
  cacheRead: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  output: number,
  reasoning: number,
  features?: TokenUsage['features'],
]

/** The lease of a request. */
interface AdmitLease {
  readonly id: string
  readonly terms: { readonly setId: string }
}

export function admitValues(request: HoldRequest, lease: AdmitLease): AdmitValues {
  return valuesOf(request, lease, null)
}

/** A later state of the same request. Its amount replaces the amount written before. */
export function checkpointValues(
  request: HoldRequest,
  lease: AdmitLease,
  { usage, costNano, ...rated }: Progress,
): AdmitValues {
  const recovery = { ...request.recovery, ...rated, inputTokens: usage.input }
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning, features } = usage
  const counts = [input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning] as const
  const used: UsageValues = features ? [...counts, features] : counts
  return valuesOf({ ...request, recoveryNano: costNano, recovery }, lease, used)
}

function valuesOf(
  request: HoldRequest,
  { id, terms: { setId } }: AdmitLease,
  usage: UsageValues | null,
): AdmitValues {
  const { recovery } = request
  const values: [...AdmittedValues, usage?: UsageValues | null, budgetSet?: string] = [
    request.requestId,
    request.accountId,
    request.keyId,
    id,
    safeNumber(request.recoveryNano),
    recovery.at,
    recovery.model,
    recovery.protocol,
    recovery.groupId,
    recovery.priceVersionId,
    recovery.factorMicro,
    recovery.inputTokens,
    recovery.isStream,
    recovery.clientAddress,
    usage,
    setId,
  ]
  // To shorten a list is cheaper than to extend one, which copies the list.
  if (setId === '') values.pop()
  if (setId === '' && !usage) values.pop()
  return values
}

/** The records of one line. The checksum of the line guarantees that they are the values that `admit` got. */
export function readAdmitRecords(json: string): AdmitRecord[] {
  const value = parseJson(json)
  if (Array.isArray(value)) return (value as AdmitValues[]).map(recordOf)
  if (!isObject(value)) return []
  // Version 0.1.0 wrote one record per line, with names, and called the recovery facts `story`.
  const { story, ...record } = value as unknown as Omit<AdmitRecord, 'recovery'> & {
    readonly story: RecoveryFacts
  }
  return [{ ...record, recovery: story }]
}

function recordOf(values: AdmitValues): AdmitRecord {
  const [requestId, accountId, keyId, leaseId, recoveryNano, at, model, protocol, groupId] = values
  const [, , , , , , , , , priceVersionId, factorMicro, inputTokens, isStream, clientAddress] =
    values
  const usage = values[14]
  const budgetSet = values[15]
  return {
    ...(budgetSet === undefined ? {} : { budgetSet }),
    ...(usage ? { usage: usageOf(usage) } : {}),
    requestId,
    accountId,
    keyId,
    leaseId,
    recoveryNano,
    recovery: {
      at,
      model,
      protocol,
      groupId,
      priceVersionId,
      factorMicro,
      inputTokens,
      isStream,
      clientAddress,
    },
  }
}

function usageOf(values: UsageValues): TokenUsage {
  const [input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning, features] = values
  const counts = { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning }
  return features ? { ...counts, features } : counts
}
