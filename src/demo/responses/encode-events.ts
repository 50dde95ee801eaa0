import type { JsonObject } from '../../wire/json.ts'
import type { AnswerPart } from '../answer.ts'
import type { DemoExchange, StreamStep } from '../demo-protocol.ts'
import { textOf } from '../json-value.ts'
import { encodeItem, itemStatusOf } from './encode-item.ts'
import { encodeItemEvents } from './encode-item-events.ts'
import { encodeEnvelope, encodeReply } from './encode-reply.ts'
import type { NamedEvent } from './named-event.ts'

export function* encodeEvents(exchange: DemoExchange): Iterable<StreamStep> {
  let sequenceNumber = 0
  for (const { type, fields, isWord } of encodeLadder(exchange)) {
    const data = { type, sequence_number: sequenceNumber, ...fields }
    yield { event: type, data, isWord: isWord ?? false }
    sequenceNumber += 1
  }
}

function* encodeLadder(exchange: DemoExchange): Iterable<NamedEvent> {
  const envelope = encodeEnvelope(exchange)
  yield { type: 'response.created', fields: { response: envelope } }
  yield { type: 'response.in_progress', fields: { response: envelope } }
  for (const [index, part] of exchange.answer.parts.entries())
    yield* encodeStep(exchange, part, index)
  const response: JsonObject = encodeReply(exchange)
  const isCut = exchange.answer.finish === 'length'
  yield { type: isCut ? 'response.incomplete' : 'response.completed', fields: { response } }
}

function* encodeStep(
  exchange: DemoExchange,
  part: AnswerPart,
  index: number,
): Iterable<NamedEvent> {
  const announced = encodeItem(exchange, part, index, 'in_progress')
  const complete = encodeItem(exchange, part, index, itemStatusOf(exchange, index))
  const place = { item_id: textOf(complete['id']) ?? '', output_index: index }
  yield { type: 'response.output_item.added', fields: { output_index: index, item: announced } }
  yield* encodeItemEvents(part, place)
  yield { type: 'response.output_item.done', fields: { output_index: index, item: complete } }
}
