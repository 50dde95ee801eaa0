import { isObject, type JsonObject } from '../../wire/json.ts'
import type { PassThrough, ReplyReading } from '../protocol.ts'
import type { ReplyTraits } from '../reply-traits.ts'
import { TextMeter } from '../text-meter.ts'
import { decodeFacts } from './decode-facts.ts'
import { encodeForward } from './encode-forward.ts'
import { readFault } from './faults.ts'
import { openFeatureMeter } from './feature-meter.ts'
import { measureInput } from './measure-input.ts'
import { openTap } from './tap.ts'
import { reasoningOf, textOf } from './text-of.ts'
import { usageIn } from './usage.ts'

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
    usage: usageIn(value, traits.usage),
    deliveredTokens: () => estimateReply(value, (message) => textOf(message, traits)),
    reasoningTokens: () => estimateReply(value, (message) => reasoningOf(message, traits)),
  }
}

function estimateReply(value: JsonObject, read: (message: unknown) => string): number {
  const meter = new TextMeter()
  const choices = Array.isArray(value['choices']) ? value['choices'] : []
  for (const choice of choices) meter.add(read(isObject(choice) ? choice['message'] : undefined))
  return meter.tokens()
}
