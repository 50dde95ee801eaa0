import { asFault } from '../../../src/core/fault.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { ReplyEvent } from '../../../src/core/neutral/reply-event.ts'
import { foreignFault } from '../../../src/gateway/forward/foreign-fault.ts'
import { protocols } from '../../../src/protocols/index.ts'
import type { Recording } from '../recordings/recording.ts'
import { tally } from '../report/tally.ts'
import { decodeClientBody, decodeRecordedRequest, plainClientRequest } from './client-request.ts'
import { type ClientRequest, countingMint, type ReplyRequests, replyContext } from './contexts.ts'
import { decodeRecording } from './decode-stream.ts'
import { translateRequest } from './translate-request.ts'

/** A recorded reply on its way to a client of some protocol. */
export interface TranslatedReply {
  readonly recording: Recording
  readonly client: ProtocolName
  readonly request: ClientRequest
  readonly events: readonly ReplyEvent[]
  /** The number of answers in the reply. */
  readonly answers: number
}

const kept = new Map<string, TranslatedReply>()

export function translateReply(recording: Recording, client: ProtocolName): TranslatedReply {
  const name = `${client} ${recording.name}`
  const known = kept.get(name)
  if (known) return known
  const events = eventsOf(recording).map((event) =>
    event.type === 'fault'
      ? { ...event, fault: foreignFault(event.fault, recording.protocol, client) }
      : event,
  )
  const answers = answersOf(events)
  const request = requestInWordsOf(client, recording, answers)
  const reply = { recording, client, request, events, answers }
  kept.set(name, reply)
  return reply
}

const decoded = new WeakMap<Recording, readonly ReplyEvent[]>()

function eventsOf(recording: Recording): readonly ReplyEvent[] {
  const events = decoded.get(recording) ?? decodeRecording(recording)
  decoded.set(recording, events)
  return events
}

const plainReply: ReplyRequests = { wantsStreamUsage: true, framing: 'sse' }
const streams = new WeakMap<TranslatedReply, string>()
const wholes = new WeakMap<TranslatedReply, string>()

/** The stream for a client without special options; several assertions use the same text. */
export function plainStream(reply: TranslatedReply): string {
  const text = streams.get(reply) ?? encodeStream(reply)
  streams.set(reply, text)
  return text
}

/** The same without streaming. */
export function plainWhole(reply: TranslatedReply): string {
  const text = wholes.get(reply) ?? encodeWhole(reply)
  wholes.set(reply, text)
  return text
}

export function encodeStream(
  { client, request, events }: TranslatedReply,
  requested = plainReply,
): string {
  tally('streams encoded')
  const context = replyContext(request, requested, countingMint())
  const encoder = protocols[client].translation.openEncoder(context)
  let text = ''
  for (const event of events) text += encoder.push(event)
  return text
}

export function encodeWhole({ client, request, events }: TranslatedReply): string {
  tally('whole replies encoded')
  const context = replyContext(request, plainReply, countingMint())
  return protocols[client].translation.encodeReply(events, context)
}

function answersOf(events: readonly ReplyEvent[]): number {
  let count = 1
  for (const event of events) {
    if (event.type === 'part-start') count = Math.max(count, event.answer + 1)
    if (event.type === 'reply-end') count = Math.max(count, event.finishes.length)
  }
  return count
}

/** The recorded request in the client's protocol, or the minimal one. */
function requestInWordsOf(
  client: ProtocolName,
  recording: Recording,
  answers: number,
): ClientRequest {
  try {
    const recorded = decodeRecordedRequest(recording)
    if (!recorded) return plainClientRequest(client, answers)
    const settings = { model: recording.model, issuer: 'nobody/none', traits: {} }
    const { text } = translateRequest(recording.protocol, client, recorded.request, settings)
    const path = { model: recording.model, isStream: recording.isStreamAsked }
    return decodeClientBody(client, text, path)
  } catch (error) {
    // Other tests cover requests; here a fault only means that the reply has no request.
    if (asFault(error).status !== 400) throw error
    return plainClientRequest(client, answers)
  }
}
