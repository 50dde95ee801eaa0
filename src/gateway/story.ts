import type { RequestReason } from '../core/codes.ts'
import type { Nano } from '../core/money.ts'
import type { AttemptRecord, UsageRecord } from '../usage/usage-record.ts'
import type { Caller } from './admit/authenticate.ts'
import type { Call } from './call.ts'

/** What becomes known of a request on its way, for its one row in the log. */
export interface Story {
  model: string | undefined
  groupId: string | undefined
  isStream: boolean
  firstTokenMs: number | undefined
  upstreamRequestId: string | undefined
  warnings: readonly string[]
  readonly attempts: AttemptRecord[]
}

export function newStory(): Story {
  return {
    model: undefined,
    groupId: undefined,
    isStream: false,
    firstTokenMs: undefined,
    upstreamRequestId: undefined,
    warnings: [],
    attempts: [],
  }
}

/** A reply was too long to be translated with its log probabilities. */
export function noteLostLogprobs(story: Story): void {
  const warning = 'logprobs_dropped'
  if (!story.warnings.includes(warning)) story.warnings = [...story.warnings, warning]
}

const clientRequestIdLengthMax = 200
const modelLengthMax = 200

export function usageRecordOf(
  call: Call,
  caller: Caller,
  protocol: string,
  story: Story,
  end: { status: number; reason: RequestReason | undefined; costNano: Nano; totalMs: number },
): UsageRecord {
  return {
    requestId: call.requestId,
    at: call.receivedAtMs,
    accountId: caller.account.id,
    keyId: caller.key.id,
    model: story.model === undefined ? undefined : storable(story.model, modelLengthMax),
    protocol,
    groupId: story.groupId,
    isStream: story.isStream,
    status: end.status,
    reason: end.reason,
    costNano: end.costNano,
    firstTokenMs: story.firstTokenMs,
    totalMs: end.totalMs,
    clientAddress: call.address,
    clientRequestId: call.headers.get('x-client-request-id')?.slice(0, clientRequestIdLengthMax),
    upstreamId: answeredBy(story),
    upstreamRequestId: story.upstreamRequestId,
    warnings: story.warnings,
    attempts: story.attempts,
  }
}

function answeredBy({ attempts }: Story): string | undefined {
  const last = attempts[attempts.length - 1]
  return last && last.reason === undefined ? last.upstreamId : undefined
}

const plain = /^[\x20-\x7e]*$/

/** Text of a caller as every database can hold it: Postgres takes no zero, and half a character is none. */
function storable(text: string, lengthMax: number): string {
  if (text.length <= lengthMax && plain.test(text)) return text
  return text.slice(0, lengthMax).replaceAll('\0', '\ufffd').toWellFormed()
}
