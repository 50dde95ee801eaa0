import { isObject, type JsonObject, objectAt } from '../../../wire/json.ts'
import { type MemberPatch, patchMembers } from '../../../wire/patch-json.ts'
import { forwardPatches, isLimitLowered } from '../../fit/forward-patches.ts'
import { TextMeter } from '../../measure/text-meter.ts'
import type { ForwardTarget, PassThrough, ReplyReading } from '../../protocol.ts'
import { type ReplyTraits, usageIn, usageTraitsIn } from '../../reply-traits.ts'
import type { JsonBody, RequestFacts } from '../../request-facts.ts'
import { readFault } from '../faults.ts'
import { reasoningOfBlock, textOfBlock } from '../values/reply-text.ts'
import { decodeUsage } from '../values/usage.ts'
import { versionHeaders } from '../version-header.ts'
import { decodeFacts } from './decode-facts.ts'
import { openFeatureMeter } from './feature-meter.ts'
import { limitUses } from './limit-uses.ts'
import { measureInput } from './measure-input.ts'
import { openTap } from './tap.ts'

export const passThrough: PassThrough = {
  forwardedHeaders: ['anthropic-version', 'anthropic-beta'],
  renamedHeaders: versionHeaders,
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
  const patches = forwardPatches(facts, target, 'max_tokens')
  if (isLimitLowered(facts, target)) {
    patches.push(...lowerBudget(body.value, target.outputTokensMax))
  }
  patches.push(...limitUses(body, target.calls))
  return patches.length === 0 ? body.text : patchMembers(body.text, body.members, patches)
}

/** A reasoning budget must stay below the output limit. */
function lowerBudget(value: JsonObject, outputTokensMax: number): MemberPatch[] {
  const thinking = objectAt(value, 'thinking')
  const budget = thinking?.['budget_tokens']
  if (typeof budget !== 'number' || budget < outputTokensMax) return []
  const lowered = { ...thinking, budget_tokens: outputTokensMax - 1 }
  return [{ name: 'thinking', value: JSON.stringify(lowered) }]
}

function readReply(value: unknown, replies: ReplyTraits): ReplyReading {
  if (!isObject(value)) return { usage: undefined, deliveredTokens: () => 0 }
  return {
    usage: usageIn(value, 'usage', usageTraitsIn(replies, 'messages'), decodeUsage),
    deliveredTokens: () => estimateReply(value, textOfBlock),
    reasoningTokens: () => estimateReply(value, reasoningOfBlock),
  }
}

function estimateReply(value: JsonObject, read: (block: unknown) => string): number {
  const meter = new TextMeter()
  const content = Array.isArray(value['content']) ? value['content'] : []
  for (const block of content) meter.add(read(block))
  return meter.tokens()
}
