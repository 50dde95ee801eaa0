import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { Exchange, ExchangeFile } from './exchange.ts'
import { readExchangeFiles } from './read-exchanges.ts'
import type { RecordedConversation, RecordedExchange } from './recorded-exchange.ts'
import { readSharedConversations, readSharedRecordings } from './shared-recordings.ts'
import { streamText } from './stream-text.ts'

let all: readonly RecordedExchange[] | undefined

/** The project's own exchanges that ask a model for an answer, followed by the larger set if it exists. */
export function readRecordedExchanges(): readonly RecordedExchange[] {
  all ??= [...ownExchanges(), ...readSharedRecordings()]
  return all
}

export function readRecordedExchangesOf(protocol: ProtocolName): readonly RecordedExchange[] {
  return readRecordedExchanges().filter((exchange) => exchange.protocol === protocol)
}

export function readRecordedConversations(): readonly RecordedConversation[] {
  const own = readExchangeFiles().flatMap((file) => {
    const grouped = Map.groupBy(file.exchanges, ({ conversation }) => conversation)
    return [...grouped].flatMap(([conversation, exchanges]) =>
      conversation === undefined
        ? []
        : [
            {
              source: `${file.protocol}/${file.feature} ${conversation}`,
              names: exchanges.map((exchange) => nameOf(file, exchange)),
            },
          ],
    )
  })
  return [...own, ...readSharedConversations()]
}

function ownExchanges(): readonly RecordedExchange[] {
  return readExchangeFiles().flatMap((file) =>
    file.exchanges
      .filter(({ endpoint = 'answer' }) => endpoint === 'answer')
      .map((exchange) => recordedForm(file, exchange)),
  )
}

function recordedForm(file: ExchangeFile, exchange: Exchange): RecordedExchange {
  const { vendor, model, request, status, reply, stream, rest, isCut } = exchange
  const { protocol } = file
  return {
    name: nameOf(file, exchange),
    isOwn: true,
    protocol,
    vendor,
    model,
    request,
    status,
    isStreamAsked: stream !== undefined,
    sse: stream && streamText(protocol, stream, rest),
    body: reply,
    isComplete: isCut !== true,
  }
}

function nameOf({ protocol, feature }: ExchangeFile, { name }: Exchange): string {
  return `${protocol}/${feature}.${name}`
}
