import { isObject, parseJson } from '../wire/json.ts'
import type { HoldStory, HoldWish } from './ledger.ts'
import { safeNumber } from './safe-number.ts'

/** What is written down before a request is forwarded, so that a killed process leaves a trace of it. Ids and numbers only. */
export interface AdmitRecord {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly leaseId: string
  readonly recoveryNano: number | string
  readonly story: HoldStory
}

/** A record as it stands in the journal: without the names, which are the same in every one. */
export type AdmitValues = readonly [
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

export function admitValues(wish: HoldWish, leaseId: string): AdmitValues {
  const { story } = wish
  return [
    wish.requestId,
    wish.accountId,
    wish.keyId,
    leaseId,
    safeNumber(wish.recoveryNano),
    story.at,
    story.model,
    story.protocol,
    story.groupId,
    story.priceVersionId,
    story.factorMicro,
    story.inputTokens,
    story.isStream,
    story.clientAddress,
  ]
}

/** The records of one line. Its checksum has vouched for it: it is what `admit` was given. */
export function readAdmitRecords(json: string): AdmitRecord[] {
  const value = parseJson(json)
  if (Array.isArray(value)) return (value as AdmitValues[]).map(recordOf)
  // Version 0.1.0 wrote one record a line, with names.
  return isObject(value) ? [value as unknown as AdmitRecord] : []
}

function recordOf(values: AdmitValues): AdmitRecord {
  const [requestId, accountId, keyId, leaseId, recoveryNano, at, model, protocol, groupId] = values
  const [, , , , , , , , , priceVersionId, factorMicro, inputTokens, isStream, clientAddress] =
    values
  return {
    requestId,
    accountId,
    keyId,
    leaseId,
    recoveryNano,
    story: {
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
