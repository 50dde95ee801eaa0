import type { ModelRequest } from '../../../src/core/neutral/model-request.ts'
import type { StreamFraming } from '../../../src/protocols/request-facts.ts'
import type { ReplyContext, UpstreamContext } from '../../../src/protocols/translation.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { recordedReplies } from '../../support/exchanges/recorded-replies.ts'
import type { Recording } from '../recordings/recording.ts'

/** Unique ids that are the same in every run. */
export function countingMint(): (prefix: string) => string {
  let count = 0
  return (prefix) => {
    count += 1
    return prefix + String(count).padStart(22, '0')
  }
}

export function issuerOf(recording: Recording): string {
  const family = /^[a-z]+/i.exec(recording.model.replace(/^.*\//, ''))?.[0] ?? 'unknown'
  return `${recording.vendor}/${family.toLowerCase()}`
}

export function upstreamContext(recording: Recording, mint = countingMint()): UpstreamContext {
  return { issuer: issuerOf(recording), replies: recordedReplies(recording.vendor), mint }
}

export interface ReplyRequests {
  readonly wantsStreamUsage: boolean
  readonly framing: StreamFraming
}

/** The request that a reply answers, as the client sent it. */
export interface ClientRequest {
  readonly request: ModelRequest
  readonly body: JsonObject
}

export function replyContext(
  { request, body }: ClientRequest,
  requested: ReplyRequests,
  mint = countingMint(),
): ReplyContext {
  return {
    request,
    requestId: 'req_conformance',
    body,
    wantsStreamUsage: requested.wantsStreamUsage,
    framing: requested.framing,
    createdAtSeconds: 1_700_000_000,
    estimatedInputTokens: 7,
    mint,
  }
}
