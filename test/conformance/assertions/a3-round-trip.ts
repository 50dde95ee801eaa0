import { isDeepStrictEqual } from 'node:util'
import { noUsage, type TokenUsage } from '../../../src/core/money/usage.ts'
import {
  type FoldedReply,
  foldReply,
  type ReplyAnswer,
  type ReplyPart,
} from '../../../src/core/neutral/fold-reply.ts'
import type { Part } from '../../../src/core/neutral/model-request.ts'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import type { ReplyEvent } from '../../../src/core/neutral/reply-event.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { argumentsOf } from '../gist/call-arguments.ts'
import { countingMint } from '../pipeline/contexts.ts'
import { bytesOf, decodePieces } from '../pipeline/decode-stream.ts'
import { cutRandomly } from '../pipeline/random-cuts.ts'
import { plainStream, plainWhole, translateReply } from '../pipeline/translate-reply.ts'
import type { Recording } from '../recordings/recording.ts'
import { type Case, canHold, goodRepliesOf } from './assertion.ts'

/** A3, by our own decoders: neutral → wire → neutral keeps text, calls, finish class and usage. */
export function a3RoundTrip(recordings: readonly Recording[]): Case[] {
  return protocolNames.flatMap((upstream) =>
    protocolNames.map((client) => ({
      name: `A3 ${upstream} → ${client} → neutral: nothing is lost on the way back`,
      run: (judge) => {
        for (const recording of goodRepliesOf(recordings, upstream)) {
          judge.check(recording.name, () => roundTripProblems(recording, client))
        }
      },
    })),
  )
}

function roundTripProblems(recording: Recording, client: ProtocolName): string[] {
  const reply = translateReply(recording, client)
  if (!canHold(client, reply.answers)) return []
  const expected = foldReply(reply.events)
  const cut = cutRandomly(bytesOf(plainStream(reply)), 40)
  const streamed = decodePieces({ ...recording, protocol: client, vendor: 'gateway' }, cut)
  const context = { issuer: 'nobody/none', replies: {}, mint: countingMint() }
  const whole = protocols[client].translation.decodeReply(plainWhole(reply), context)
  return [
    ...compareReplies('stream', expected, streamed, client),
    ...compareReplies('whole', expected, whole, client),
  ]
}

function compareReplies(
  form: string,
  expected: FoldedReply,
  events: readonly ReplyEvent[],
  client: ProtocolName,
): string[] {
  const seen = foldReply(events)
  const problems: string[] = []
  for (const [index, answer] of expected.answers.entries()) {
    const other = seen.answers[index]
    if (isSpoiltCall(answer) && client === 'responses') return []
    const parts = meaningOf(answer.parts)
    const withRefusal = meaningOf(answer.parts, true)
    const otherParts = meaningOf(other?.parts ?? [])
    const isSame = [parts, withRefusal].some((each) => isDeepStrictEqual(each, otherParts))
    if (!isSame) {
      const difference = `${JSON.stringify(parts)} → ${JSON.stringify(otherParts)}`
      problems.push(`${form}: parts ${difference.slice(0, 300)}`)
    }
    if (classOf(answer) !== (other && classOf(other))) {
      problems.push(`${form}: finish ${answer.finish.reason} → ${other?.finish.reason}`)
    }
  }
  if (!events.some(({ type }) => type === 'reply-end')) problems.push(`${form}: no reply-end`)
  return [...problems, ...usageProblems(form, expected.usage, seen.usage, client)]
}

function usageProblems(
  form: string,
  expected: TokenUsage,
  seen: TokenUsage,
  client: ProtocolName,
): string[] {
  // If the upstream reports no usage, the client may get an estimate.
  if (isDeepStrictEqual(expected, noUsage)) return []
  const isSame =
    expected.output === seen.output &&
    expected.cacheRead === seen.cacheRead &&
    inputOf(expected) === inputOf(seen) &&
    (client === 'messages' || expected.reasoning === seen.reasoning)
  return isSame ? [] : [`${form}: usage ${JSON.stringify(expected)} → ${JSON.stringify(seen)}`]
}

function inputOf({ input, cacheWrite5m, cacheWrite1h }: TokenUsage): number {
  return input + cacheWrite5m + cacheWrite1h
}

/** The responses protocol can express this only as a failure. */
function isSpoiltCall({ finish }: ReplyAnswer): boolean {
  return finish.reason === 'malformed-call'
}

/**
 * Calls in order, and all text; the division of text into parts differs. A protocol without a field for refusals or
 * media contains them as text.
 */
function meaningOf(parts: readonly ReplyPart[], isRefusalText = false): unknown {
  const textOf = (type: Part['type']) =>
    parts
      .map(({ part }) => (part.type === type && 'text' in part ? part.text : ''))
      .filter((text) => !text.startsWith('[The model answered with '))
      .join('')
  const calls = parts.flatMap(({ part }) =>
    part.type === 'tool-call' ? [{ name: part.name, arguments: callArguments(part) }] : [],
  )
  const refusal = isRefusalText ? textOf('refusal') : ''
  return { text: textOf('text') + refusal, reasoning: textOf('reasoning'), calls }
}

function callArguments(part: { form: string; argumentsText: string }): unknown {
  return part.form === 'custom' ? { input: part.argumentsText } : argumentsOf(part.argumentsText)
}

/** Not every protocol distinguishes the two natural finish reasons; a refusal has two forms. */
function classOf({ parts, finish: { reason } }: ReplyAnswer): string {
  if (reason === 'length' || reason === 'tool-calls') return reason
  const isRefused = parts.some(({ part }) => part.type === 'refusal')
  return isRefused || reason === 'content-filter' ? 'refused' : 'ended'
}
