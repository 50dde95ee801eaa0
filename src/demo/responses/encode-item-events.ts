import type { AnswerPart } from '../answer.ts'
import { splitTokens } from '../tokens.ts'
import { encodeTextPart } from './encode-item.ts'
import type { NamedEvent } from './named-event.ts'

export interface ItemPlace {
  readonly item_id: string
  readonly output_index: number
}

/** The events between an item's `added` and its `done`. */
export function encodeItemEvents(part: AnswerPart, place: ItemPlace): Iterable<NamedEvent> {
  switch (part.kind) {
    case 'reasoning':
      return encodeSummary(part.text, place)
    case 'text':
      return encodeText(part.text, place)
    case 'tool-call':
      return encodeArguments(part.name, part.argumentsText, place)
  }
}

function* encodeText(text: string, itemPlace: ItemPlace): Iterable<NamedEvent> {
  const place = { ...itemPlace, content_index: 0 }
  const empty = encodeTextPart('')
  yield { type: 'response.content_part.added', fields: { ...place, part: empty } }
  for (const delta of splitTokens(text)) {
    const fields = { ...place, delta, logprobs: [] }
    yield { type: 'response.output_text.delta', fields, isWord: true }
  }
  yield { type: 'response.output_text.done', fields: { ...place, text, logprobs: [] } }
  yield { type: 'response.content_part.done', fields: { ...place, part: encodeTextPart(text) } }
}

function* encodeSummary(text: string, itemPlace: ItemPlace): Iterable<NamedEvent> {
  const place = { ...itemPlace, summary_index: 0 }
  const part = (partText: string) => ({ type: 'summary_text', text: partText })
  yield { type: 'response.reasoning_summary_part.added', fields: { ...place, part: part('') } }
  for (const delta of splitTokens(text)) {
    yield {
      type: 'response.reasoning_summary_text.delta',
      fields: { ...place, delta },
      isWord: true,
    }
  }
  yield { type: 'response.reasoning_summary_text.done', fields: { ...place, text } }
  yield { type: 'response.reasoning_summary_part.done', fields: { ...place, part: part(text) } }
}

function* encodeArguments(name: string, text: string, place: ItemPlace): Iterable<NamedEvent> {
  const type = 'response.function_call_arguments'
  for (const delta of splitTokens(text)) {
    yield { type: `${type}.delta`, fields: { ...place, delta }, isWord: true }
  }
  yield { type: `${type}.done`, fields: { ...place, name, arguments: text } }
}
