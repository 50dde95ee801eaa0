import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import {
  readRecordedConversations,
  readRecordedExchanges,
} from '../../support/exchanges/read-recorded-exchanges.ts'
import type { RecordedExchange } from '../../support/exchanges/recorded-exchange.ts'
import type { Conversation, Recording } from './recording.ts'

/** The project's own exchanges, and the larger recorded set if it exists. */
export function readRecordings(): readonly Recording[] {
  return readRecordedExchanges().map(asRecording)
}

export function readConversations(recordings: readonly Recording[]): readonly Conversation[] {
  const byName = new Map(recordings.map((recording) => [recording.name, recording]))
  return readRecordedConversations().map(({ source, names }) => ({
    source,
    recordings: names.flatMap((name) => {
      const recording = byName.get(name)
      return recording ? [recording] : []
    }),
  }))
}

function asRecording(exchange: RecordedExchange): Recording {
  const { request, sse, body, ...rest } = exchange
  return {
    ...rest,
    requestText: request && textOfRequest(request, exchange.protocol, exchange.model),
    reply:
      sse === undefined
        ? { form: 'whole', text: JSON.stringify(body) }
        : { form: 'stream', text: sse },
  }
}

/** Some vendors have the model in the path; clients send it in the body, except in one protocol. */
function textOfRequest(body: object, protocol: ProtocolName, model: string): string {
  const isNamed = protocol === 'generate-content' || 'model' in body
  return JSON.stringify(isNamed ? body : { model, ...body })
}
