import { outputLimitNames } from '../../../core/upstreams/parameter-policy.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { type MemberPatch, patchMembers } from '../../../wire/patch-json.ts'
import { scanJson } from '../../../wire/scan-json.ts'
import { TextMeter } from '../../measure/text-meter.ts'
import type { ForwardTarget, PassThrough, ReplyReading } from '../../protocol.ts'
import { type ReplyTraits, usageIn, usageTraitsIn } from '../../reply-traits.ts'
import type { JsonBody, RequestFacts } from '../../request-facts.ts'
import { readFault } from '../faults.ts'
import { reasoningOfMessage, textOfMessage } from '../values/reply-text.ts'
import { decodeUsage } from '../values/usage.ts'
import { decodeFacts } from './decode-facts.ts'
import { openFeatureMeter } from './feature-meter.ts'
import { measureInput } from './measure-input.ts'
import { roleSpans } from './role-spans.ts'
import { openTap } from './tap.ts'

export const passThrough: PassThrough = {
  forwardedHeaders: ['openai-beta'],
  decodeFacts,
  measureInput,
  encodeForward,
  readReply,
  openTap,
  openFeatureMeter,
  readFault,
}

function readReply(value: unknown, traits: ReplyTraits): ReplyReading {
  if (!isObject(value)) return { usage: undefined, deliveredTokens: () => 0 }
  return {
    usage: usageIn(value, 'usage', usageTraitsIn(traits, 'chat-completions'), decodeUsage),
    deliveredTokens: () => estimateReply(value, (message) => textOfMessage(message, traits)),
    reasoningTokens: () => estimateReply(value, (message) => reasoningOfMessage(message, traits)),
  }
}

function estimateReply(value: JsonObject, read: (message: unknown) => string): number {
  const meter = new TextMeter()
  const choices = Array.isArray(value['choices']) ? value['choices'] : []
  for (const choice of choices) meter.add(read(isObject(choice) ? choice['message'] : undefined))
  return meter.tokens()
}

const depthMax = 256

/** Names of the output limit that some servers prefer to the usual ones. A negative number means no limit there. */
const serverLimitNames = ['n_predict', 'num_predict', 'max_new_tokens', 'max_length'] as const

/**
 * The client's own text with the upstream's model id, with usage requested in streams because billing needs it, and
 * with the few changes that the upstream's traits require. Every other byte stays.
 */
function encodeForward(body: JsonBody, facts: RequestFacts, target: ForwardTarget): string {
  const patches: MemberPatch[] = []
  if (target.model !== facts.model)
    patches.push({ name: 'model', value: JSON.stringify(target.model) })
  if (facts.isStream && !facts.wantsStreamUsage && target.traits.takesStreamOptions !== false) {
    const options = body.value['stream_options']
    const asked = { ...(isObject(options) ? options : {}), include_usage: true }
    patches.push({ name: 'stream_options', value: JSON.stringify(asked) })
  }
  // Of two limits, the hold covers the one in `facts`; the upstream may obey the other one.
  const most = Math.min(target.outputTokensMax, facts.outputTokensMax ?? target.outputTokensMax)
  for (const name of outputLimitNames) {
    const limit = body.value[name]
    if (typeof limit === 'number' && limit > most) patches.push({ name, value: String(most) })
  }
  for (const name of serverLimitNames) {
    const limit = body.value[name]
    const isOver = typeof limit === 'number' && (limit > most || limit < 0)
    if (isOver) patches.push({ name, value: String(most) })
  }
  const { traits } = target
  const isSystem = traits.instructionRole === 'system' && traits.isGuess !== true
  const messages = isSystem ? withSystemRoles(body) : undefined
  if (messages !== undefined) patches.push({ name: 'messages', value: messages })
  const patched = patches.length === 0 ? body.text : patchMembers(body.text, body.members, patches)
  return renameLimit(patched, body, target)
}

/** A model accepts the limit under one name. In a request with both names each keeps its name. */
function renameLimit(text: string, body: JsonBody, target: ForwardTarget): string {
  const { traits } = target
  const wanted = traits.isGuess === true ? undefined : traits.outputLimitField
  const other = outputLimitNames.find((name) => name !== wanted)
  if (wanted === undefined || other === undefined) return text
  if (typeof body.value[other] !== 'number' || body.members.has(wanted)) return text
  const scan = scanJson(text, depthMax)
  const span = scan.ok ? scan.members.get(other) : undefined
  if (!span) return text
  return `${text.slice(0, span.memberStart)}"${wanted}":${text.slice(span.valueStart)}`
}

/** Servers that do not know the role `developer` accept `system` instead. Undefined when no message has the role. */
function withSystemRoles({ text, value, members }: JsonBody): string | undefined {
  const messages: unknown[] = Array.isArray(value['messages']) ? value['messages'] : []
  const hasDeveloper = messages.some((each) => isObject(each) && each['role'] === 'developer')
  const span = members.get('messages')
  if (!hasDeveloper || !span) return undefined
  let patched = ''
  let at = span.valueStart
  for (const { start, end } of roleSpans(text, span, 'developer')) {
    patched += `${text.slice(at, start)}"system"`
    at = end
  }
  return patched + text.slice(at, span.valueEnd)
}
