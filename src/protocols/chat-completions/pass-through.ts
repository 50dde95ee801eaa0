import { isObject, type JsonObject } from '../../wire/json.ts'
import { patchMembers } from '../../wire/patch-json.ts'
import type { JsonBody, PassThrough, ReplyReading, RequestFacts } from '../protocol.ts'
import { TextMeter } from '../text-meter.ts'
import { decodeFacts } from './decode-facts.ts'
import { readFault } from './faults.ts'
import { openTap } from './tap.ts'
import { textOf } from './text-of.ts'
import { decodeUsage } from './usage.ts'

export const passThrough: PassThrough = {
  decodeFacts,
  encodeForward,
  readReply,
  openTap,
  readFault,
}

/** The caller's own text with the upstream's model id, and usage asked for in streams: billing needs it. */
function encodeForward(body: JsonBody, facts: RequestFacts, upstreamModel: string): string {
  const patches = []
  if (upstreamModel !== facts.model)
    patches.push({ name: 'model', value: JSON.stringify(upstreamModel) })
  if (facts.isStream && !facts.wantsStreamUsage) {
    const options = body.value['stream_options']
    const asked = { ...(isObject(options) ? options : {}), include_usage: true }
    patches.push({ name: 'stream_options', value: JSON.stringify(asked) })
  }
  return patches.length === 0 ? body.text : patchMembers(body.text, body.members, patches)
}

function readReply(value: unknown): ReplyReading {
  if (!isObject(value)) return { usage: undefined, deliveredTokens: () => 0 }
  return { usage: decodeUsage(value['usage']), deliveredTokens: () => estimateReply(value) }
}

function estimateReply(value: JsonObject): number {
  const meter = new TextMeter()
  const choices = Array.isArray(value['choices']) ? value['choices'] : []
  for (const choice of choices) meter.add(textOf(isObject(choice) ? choice['message'] : undefined))
  return meter.tokens()
}
