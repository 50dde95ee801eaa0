import type { TokenUsage } from '../../core/usage.ts'
import { writeJson } from '../../wire/exact-json.ts'
import type { ReplyContext } from '../translation.ts'
import { encodeUsage } from './usage.ts'

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
