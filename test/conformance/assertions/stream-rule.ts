import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { parseJson } from '../../../src/wire/json.ts'
import {
  encodeStream,
  plainStream,
  plainWhole,
  translateReply,
} from '../pipeline/translate-reply.ts'
import { readSse, type WireEvent } from '../read-sse.ts'
import type { Recording } from '../recordings/recording.ts'
import { type Case, canHold, goodRepliesOf } from './assertion.ts'

/** A translated reply in all forms that a client may request. */
export interface Output {
  readonly text: string
  readonly events: readonly WireEvent[]
  /** For a client that did not ask for usage in the stream. */
  readonly eventsWithoutUsage: readonly WireEvent[]
  /** The stream as one JSON list, for generate-content without `alt=sse`. */
  readonly listText: string
  readonly whole: unknown
  /** Whether the upstream reported usage. */
  readonly hasUsage: boolean
}

/** The problems of a translated reply, by one assertion. */
export type StreamRule = (output: Output) => readonly string[]

/** One test for each rule and each upstream protocol. */
export function streamCases(
  recordings: readonly Recording[],
  client: ProtocolName,
  rules: Readonly<Record<string, StreamRule>>,
): Case[] {
  return Object.entries(rules).flatMap(([name, rule]) =>
    protocolNames.map((upstream) => ({
      name: `${name} (${upstream} → ${client})`,
      run: (judge) => {
        for (const recording of goodRepliesOf(recordings, upstream)) {
          judge.check(recording.name, () => {
            const output = outputOf(recording, client)
            return output ? rule(output) : []
          })
        }
      },
    })),
  )
}

const kept = new Map<string, Output>()

/** Undefined for several answers in a protocol that allows one. */
export function outputOf(recording: Recording, client: ProtocolName): Output | undefined {
  const name = `${client} ${recording.name}`
  const known = kept.get(name)
  if (known) return known
  const reply = translateReply(recording, client)
  if (!canHold(client, reply.answers)) return undefined
  const text = plainStream(reply)
  const output = {
    text,
    events: readSse(text),
    eventsWithoutUsage: readSse(encodeStream(reply, { wantsStreamUsage: false, framing: 'sse' })),
    listText: encodeStream(reply, { wantsStreamUsage: true, framing: 'json-list' }),
    whole: parseJson(plainWhole(reply)),
    hasUsage: reply.events.some(({ type }) => type === 'usage'),
  }
  kept.set(name, output)
  return output
}
