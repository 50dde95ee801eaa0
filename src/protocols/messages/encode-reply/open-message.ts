import { noUsage, type TokenUsage } from '../../../core/money/usage.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { ReplyContext } from '../../translation.ts'
import { encodeUsage } from '../values/usage.ts'

/** A message before its first content. The prompt size is an estimate if the upstream has not reported it yet. */
export function openMessage(context: ReplyContext, usage: TokenUsage | undefined): JsonObject {
  const known = usage ?? { ...noUsage, input: context.estimatedInputTokens }
  return {
    id: context.mint('msg_'),
    type: 'message',
    role: 'assistant',
    model: context.request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: encodeUsage({ ...known, output: Math.max(1, known.output), reasoning: 0 }),
  }
}

const charactersPerToken = 4

/** For an upstream that reports no usage: the protocol requires a number. */
export function estimateUsage(context: ReplyContext, characters: number): TokenUsage {
  const output = Math.ceil(characters / charactersPerToken)
  return { ...noUsage, input: context.estimatedInputTokens, output }
}
