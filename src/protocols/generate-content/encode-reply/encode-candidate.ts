import type { TokenUsage } from '../../../core/money/usage.ts'
import type { Finish, TokenLogprob } from '../../../core/neutral/reply-event.ts'
import { writeJson } from '../../../wire/exact-json.ts'
import type { ReplyContext } from '../../translation.ts'
import type { Grounding } from '../values/annotations.ts'
import { encodeFinish } from '../values/finish-reason.ts'
import { encodeLogprobs } from '../values/logprobs.ts'
import { encodeUsage } from '../values/usage.ts'

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
  return `,"logprobsResult":${writeJson(encodeLogprobs(logprobs))}`
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

/** The members around the candidates in every chunk of one reply. */
export class ReplyEnvelope {
  readonly #identity: string

  constructor({ request, mint }: ReplyContext) {
    const model = JSON.stringify(request.model)
    this.#identity = `"modelVersion":${model},"responseId":${JSON.stringify(mint(''))}}`
  }

  write(candidates: string, usage: TokenUsage | undefined): string {
    const metadata = usage ? `"usageMetadata":${writeJson(encodeUsage(usage))},` : ''
    return `{"candidates":[${candidates}],${metadata}${this.#identity}`
  }
}
