import type { Finish, TokenLogprob } from '../../core/reply-event.ts'
import { writeJson } from '../../wire/exact-json.ts'
import { encodeFinish } from './finish-reasons.ts'
import type { Grounding } from './grounding.ts'
import { encodeLogprobsResult } from './logprobs.ts'

/** A candidate as JSON text, from parts and members that are already JSON text. */
export function encodeCandidate(
  answer: number,
  parts: readonly string[],
  members: string = '',
): string {
  const content =
    parts.length === 0 ? '{"role":"model"}' : `{"parts":[${parts.join(',')}],"role":"model"}`
  return `{"content":${content}${members},"index":${answer}}`
}

export function logprobsMember(logprobs: readonly TokenLogprob[] | undefined): string {
  if (!logprobs || logprobs.length === 0) return ''
  return `,"logprobsResult":${writeJson(encodeLogprobsResult(logprobs))}`
}

/** Why the answer ended. A refusal becomes a filtered answer here, and its text explains it. */
export function finishMembers(finish: Finish, refusal: string, grounding: Grounding): string {
  const isRefused = refusal !== ''
  const reason = encodeFinish(isRefused ? { reason: 'content-filter', raw: undefined } : finish)
  const message = isRefused ? refusal : finish.explanation
  const explained = message === undefined ? '' : `,"finishMessage":${JSON.stringify(message)}`
  const sources = grounding.value()
  const grounded = sources ? `,"groundingMetadata":${writeJson(sources)}` : ''
  return `,"finishReason":"${reason}"${explained}${grounded}`
}
