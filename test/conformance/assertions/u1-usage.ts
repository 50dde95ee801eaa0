import type { TokenUsage } from '../../../src/core/money/usage.ts'
import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { parseJson } from '../../../src/wire/json.ts'
import { SseFramer } from '../../../src/wire/sse-framer.ts'
import { recordedReplies } from '../../support/exchanges/recorded-replies.ts'
import { dig, digText } from '../dig.ts'
import { compareUsage } from '../gist/compare-gists.ts'
import type { UsageGist } from '../gist/gist.ts'
import { gistOf } from '../gist/gist-readers.ts'
import { bytesOf, decodeRecording } from '../pipeline/decode-stream.ts'
import { readSse } from '../read-sse.ts'
import type { Recording } from '../recordings/recording.ts'
import { type Case, goodRepliesOf } from './assertion.ts'

/** U1: the decoder and the tap of a protocol count what the formulas of 9.16 give. */
export function u1Usage(recordings: readonly Recording[]): Case[] {
  return protocolNames.flatMap((protocol) => [
    {
      name: `U1 ${protocol}: usage by the formulas, translated`,
      run: (judge) => {
        for (const recording of goodRepliesOf(recordings, protocol)) {
          judge.check(recording.name, () => decodedProblems(recording))
        }
      },
    },
    {
      name: `U1 ${protocol}: usage by the formulas, passed through`,
      run: (judge) => {
        for (const recording of goodRepliesOf(recordings, protocol)) {
          judge.check(recording.name, () => tappedProblems(recording))
        }
      },
    },
  ]) satisfies Case[]
}

function decodedProblems(recording: Recording): string[] {
  const expected = gistOf(recording.protocol, recording.reply).usage
  const event = decodeRecording(recording).findLast(({ type }) => type === 'usage')
  const usage = event?.type === 'usage' ? event.usage : undefined
  return expected ? compareUsage(expected, usage && totals(usage), recording.protocol) : []
}

function tappedProblems(recording: Recording): string[] {
  const expected = gistOf(recording.protocol, recording.reply).usage
  if (!expected) return []
  const { passThrough } = protocols[recording.protocol]
  const { form, text } = recording.reply
  const usage =
    form === 'whole'
      ? passThrough.readReply(parseJson(text), recordedReplies(recording.vendor)).usage
      : tappedUsage(recording)
  return compareUsage(expected, usage && totals(usage), recording.protocol)
}

function tappedUsage({ protocol, vendor, model, reply }: Recording): TokenUsage | undefined {
  const tap = protocols[protocol].passThrough.openTap(
    {
      model,
      isStream: true,
      outputTokensMax: undefined,
      answers: 1,
      wantsStreamUsage: true,
      framing: 'sse',
    },
    recordedReplies(vendor),
  )
  const framer = new SseFramer(16_000_000)
  for (const piece of [bytesOf(reply.text), bytesOf('\n\n')]) {
    for (const frame of framer.push(piece)) tap.read(frame)
  }
  tap.end()
  return tap.reading().usage
}

/** Disjoint buckets as totals. */
function totals(usage: TokenUsage): UsageGist {
  const cacheWrite = usage.cacheWrite5m + usage.cacheWrite1h
  return {
    input: usage.input + usage.cacheRead + cacheWrite,
    cacheRead: usage.cacheRead,
    cacheWrite,
    output: usage.output,
    reasoning: usage.reasoning,
  }
}

/** U2: the usage in message_delta replaces the usage in message_start, and is not added to it. */
export function u2NotAdded(recordings: readonly Recording[]): Case[] {
  return [
    {
      name: 'U2 messages: message_delta is not added to message_start',
      run: (judge) => {
        for (const recording of goodRepliesOf(recordings, 'messages')) {
          if (recording.reply.form !== 'stream') continue
          judge.check(recording.name, () => notAddedProblems(recording))
        }
      },
    },
  ]
}

function notAddedProblems(recording: Recording): string[] {
  const delta = readSse(recording.reply.text).findLast(
    ({ json }) => digText(json, 'type') === 'message_delta',
  )
  const expected = dig(delta?.json, 'usage', 'output_tokens')
  const event = decodeRecording(recording).findLast(({ type }) => type === 'usage')
  const seen = event?.type === 'usage' ? event.usage.output : undefined
  return seen === expected ? [] : [`output ${String(expected)} → ${seen}`]
}
