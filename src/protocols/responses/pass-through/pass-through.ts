import { isObject, stringAt } from '../../../wire/json.ts'
import { patchMembers } from '../../../wire/patch-json.ts'
import { forwardPatches } from '../../fit/forward-patches.ts'
import { TextMeter } from '../../measure/text-meter.ts'
import type { ForwardTarget, PassThrough, ReplyReading } from '../../protocol.ts'
import { type ReplyTraits, usageIn, usageTraitsIn } from '../../reply-traits.ts'
import type { JsonBody, RequestFacts } from '../../request-facts.ts'
import { readFault } from '../faults.ts'
import { reasoningOfItem, textOfItem } from '../values/reply-text.ts'
import { decodeUsage } from '../values/usage.ts'
import { decodeFacts } from './decode-facts.ts'
import { openFeatureMeter } from './feature-meter.ts'
import { measureInput } from './measure-input.ts'
import { openTap } from './tap.ts'

export const passThrough: PassThrough = {
  forwardedHeaders: ['openai-beta', 'x-openai-internal-codex-responses-lite'],
  decodeFacts,
  measureInput,
  encodeForward,
  readReply,
  openTap,
  openFeatureMeter,
  readFault,
}

/** The client's own text with the upstream's model id and an output limit that the model allows. */
export function encodeForward(body: JsonBody, facts: RequestFacts, target: ForwardTarget): string {
  const patches = forwardPatches(facts, target, 'max_output_tokens')
  const calls = target.calls?.together
  if (calls !== undefined && calls !== body.value['max_tool_calls']) {
    patches.push({ name: 'max_tool_calls', value: String(calls) })
  }
  return patches.length === 0 ? body.text : patchMembers(body.text, body.members, patches)
}

function readReply(value: unknown, replies: ReplyTraits): ReplyReading {
  if (!isObject(value)) return { usage: undefined, deliveredTokens: () => 0 }
  return {
    usage: usageIn(value, 'usage', usageTraitsIn(replies, 'responses'), decodeUsage),
    replyId: stringAt(value, 'id'),
    deliveredTokens: () => estimateOutput(value['output'], textOfItem),
    reasoningTokens: () => estimateOutput(value['output'], reasoningOfItem),
  }
}

function estimateOutput(output: unknown, read: (item: unknown) => string): number {
  const meter = new TextMeter()
  if (Array.isArray(output)) for (const item of output) meter.add(read(item))
  return meter.tokens()
}
