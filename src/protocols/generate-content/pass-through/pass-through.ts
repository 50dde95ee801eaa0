import { isObject, type JsonObject } from '../../../wire/json.ts'
import { patchMembers } from '../../../wire/patch-json.ts'
import { scanJson } from '../../../wire/scan-json.ts'
import { TextMeter } from '../../measure/text-meter.ts'
import type { ForwardTarget, PassThrough, ReplyReading } from '../../protocol.ts'
import { type ReplyTraits, usageIn, usageTraitsIn } from '../../reply-traits.ts'
import type { JsonBody, RequestFacts } from '../../request-facts.ts'
import { readFault } from '../faults.ts'
import { objectOf, spellingOf } from '../values/read-field.ts'
import { textOfCandidate } from '../values/reply-text.ts'
import { decodeUsage } from '../values/usage.ts'
import { decodeFacts } from './decode-facts.ts'
import { openFeatureMeter } from './feature-meter.ts'
import { measureInput } from './measure-input.ts'
import { openTap } from './tap.ts'

const configDepthMax = 256

export const passThrough: PassThrough = {
  forwardedHeaders: [],
  decodeFacts,
  measureInput,
  encodeForward,
  readReply,
  openTap,
  openFeatureMeter,
  readFault,
}

/** The client's own text. The model is in the path, so only an output limit that is too large changes. */
function encodeForward(body: JsonBody, facts: RequestFacts, target: ForwardTarget): string {
  const { outputTokensMax } = facts
  if (outputTokensMax === undefined || outputTokensMax <= target.outputTokensMax) return body.text
  return patchNested(body, 'generationConfig', {
    name: 'maxOutputTokens',
    value: String(target.outputTokensMax),
  })
}

/** Replaces a member of an object inside the body, in whichever spelling it has. */
export function patchNested(
  { text, value, members }: JsonBody,
  outer: string,
  patch: { readonly name: string; readonly value: string },
): string {
  const inner = objectOf(value, outer)
  const span = members.get(spellingOf(value, outer))
  if (!inner || !span) return text
  const innerText = text.slice(span.valueStart, span.valueEnd)
  const scan = scanJson(innerText, configDepthMax)
  if (!scan.ok) return text
  const name = spellingOf(inner, patch.name)
  const patched = patchMembers(innerText, scan.members, [{ name, value: patch.value }])
  return text.slice(0, span.valueStart) + patched + text.slice(span.valueEnd)
}

function readReply(value: unknown, replies: ReplyTraits): ReplyReading {
  if (!isObject(value)) return { usage: undefined, deliveredTokens: () => 0 }
  return {
    usage: usageIn(value, 'usageMetadata', usageTraitsIn(replies, 'generate-content'), decodeUsage),
    deliveredTokens: () => estimateReply(value, 'text'),
    reasoningTokens: () => estimateReply(value, 'thought'),
  }
}

function estimateReply({ candidates }: JsonObject, kind: 'text' | 'thought'): number {
  const meter = new TextMeter()
  if (Array.isArray(candidates)) {
    for (const candidate of candidates) {
      if (isObject(candidate)) meter.add(textOfCandidate(candidate)[kind])
    }
  }
  return meter.tokens()
}
