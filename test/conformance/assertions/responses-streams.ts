import { dig, digList, digNumber, digText } from '../dig.ts'
import type { WireEvent } from '../read-sse.ts'
import type { Output, StreamRule } from './stream-rule.ts'

export const responsesStreams: Readonly<Record<string, StreamRule>> = {
  'R1 sequence numbers from 0 without gaps': r1SequenceNumbers,
  'R2 an item is added before its deltas and done after them': r2ItemsInOrder,
  'R3 deltas, done and the last event say the same': r3TextIsTheSame,
  'R4 the last event fits the status': r4TerminalFitsStatus,
  'R5 a coding agent finds what it needs': r5AgentFindsAll,
  'R6 the id of a call is not its call_id': r6TwoIds,
}

function typeOf({ json }: WireEvent): string {
  return digText(json, 'type')
}

function r1SequenceNumbers({ events }: Output): string[] {
  const numbers = events.map(({ json }) => dig(json, 'sequence_number'))
  const wrongAt = numbers.findIndex((number, index) => number !== index)
  return wrongAt < 0 ? [] : [`event ${wrongAt} has number ${String(numbers[wrongAt])}`]
}

/** Events that belong to an item by its place in the output. */
const itemEvent =
  /^response\.(?:content_part|output_text|refusal|function_call_arguments|custom_tool_call_input|reasoning_summary_part|reasoning_summary_text|reasoning_text)\./

function r2ItemsInOrder({ events }: Output): string[] {
  const isFailed = events.some((event) => typeOf(event) === 'response.failed')
  const problems: string[] = []
  let open: { index: number; id: string } | undefined
  let parts = 0
  let next = 0
  for (const event of events) {
    const type = typeOf(event)
    const index = digNumber(event.json, 'output_index')
    if (type === 'response.output_item.added') {
      if (open) problems.push(`item ${index} is added inside item ${open.index}`)
      if (index !== next) problems.push(`item ${index} in place of ${next}`)
      open = { index, id: digText(event.json, 'item', 'id') }
      if (open.id === '') problems.push(`item ${index} has no id`)
      next = index + 1
      parts = 0
    } else if (type === 'response.output_item.done') {
      if (open?.index !== index) problems.push(`item ${index} is done and was not open`)
      if (open?.id !== digText(event.json, 'item', 'id')) problems.push('the item changed its id')
      open = undefined
    } else if (itemEvent.test(type)) {
      if (open?.index !== index) problems.push(`${type} outside of item ${index}`)
      if (open?.id !== digText(event.json, 'item_id')) problems.push(`${type} of another item`)
      if (type.endsWith('_part.added')) parts += 1
      const needsPart = /output_text|refusal|summary_text/.test(type)
      if (needsPart && parts === 0) problems.push(`${type} before its part was added`)
    }
  }
  if (open && !isFailed) problems.push(`item ${open.index} is never done`)
  const types = events.map(typeOf)
  if (types[0] !== 'response.created' || types[1] !== 'response.in_progress') {
    problems.push(`begins with ${types[0]}, ${types[1]}`)
  }
  return problems
}

/** The kinds of text with deltas: the delta, the event that repeats the text, and the field in that event. */
const texts = [
  ['response.output_text.delta', 'response.output_text.done', 'text', 'content_index'],
  ['response.refusal.delta', 'response.refusal.done', 'refusal', 'content_index'],
  ['response.reasoning_text.delta', 'response.reasoning_text.done', 'text', 'content_index'],
  [
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'text',
    'summary_index',
  ],
  [
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'arguments',
    '',
  ],
  ['response.custom_tool_call_input.delta', 'response.custom_tool_call_input.done', 'input', ''],
] as const

function r3TextIsTheSame({ events }: Output): string[] {
  const problems: string[] = []
  for (const [delta, done, field, position] of texts) {
    const placeOf = ({ json }: WireEvent) =>
      `${digNumber(json, 'output_index')}/${position === '' ? 0 : digNumber(json, position)}`
    const sums = new Map<string, string>()
    for (const event of events.filter((each) => typeOf(each) === delta)) {
      const place = placeOf(event)
      sums.set(place, (sums.get(place) ?? '') + digText(event.json, 'delta'))
    }
    const dones = events.filter((each) => typeOf(each) === done)
    for (const event of dones) {
      const sum = sums.get(placeOf(event)) ?? ''
      if (sum !== digText(event.json, field)) problems.push(`${done} is not the sum of its deltas`)
    }
    if (dones.length < sums.size) problems.push(`${delta} without ${done}`)
  }
  const items = events
    .filter((event) => typeOf(event) === 'response.output_item.done')
    .map(({ json }) => JSON.stringify(dig(json, 'item')))
  const repeated = digList(events.at(-1)?.json, 'response', 'output').map((item) =>
    JSON.stringify(item),
  )
  if (items.join('\n') !== repeated.join('\n')) {
    problems.push(`the last event repeats ${repeated.length} items, ${items.length} were done`)
  }
  problems.push(...donePartsProblems(events))
  return problems
}

/** The final text of the parts equals the text of their item. */
function donePartsProblems(events: readonly WireEvent[]): string[] {
  return events.flatMap(({ json }) => {
    if (digText(json, 'type') !== 'response.output_item.done') return []
    const index = digNumber(json, 'output_index')
    const parts = events
      .filter((event) => typeOf(event) === 'response.content_part.done')
      .filter((event) => digNumber(event.json, 'output_index') === index)
      .map((event) => JSON.stringify(dig(event.json, 'part')))
    const content = digList(json, 'item', 'content').map((part) => JSON.stringify(part))
    const isMessage = digText(json, 'item', 'type') === 'message'
    const isGood = !isMessage || parts.join('\n') === content.join('\n')
    return isGood ? [] : [`item ${index} has ${content.length} parts, ${parts.length} were done`]
  })
}

const terminalStatus: Readonly<Record<string, string>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
}

function r4TerminalFitsStatus({ events }: Output): string[] {
  const problems: string[] = []
  const last = events.at(-1)
  const type = last ? typeOf(last) : 'none'
  const status = digText(last?.json, 'response', 'status')
  if (terminalStatus[type] !== status) problems.push(`${type} with status ${status}`)
  const isIncomplete = dig(last?.json, 'response', 'incomplete_details') !== null
  if (isIncomplete !== (status === 'incomplete')) problems.push('incomplete_details do not fit')
  const terminals = events.filter((event) => terminalStatus[typeOf(event)] !== undefined)
  if (terminals.length !== 1) problems.push(`${terminals.length} terminal events`)
  if (events.some(({ data }) => data === '[DONE]')) problems.push('[DONE] in a responses stream')
  return problems
}

function r5AgentFindsAll({ events, hasUsage }: Output): string[] {
  const problems: string[] = []
  const response = dig(events.at(-1)?.json, 'response')
  if (digText(response, 'id') === '') problems.push('the last event has no response.id')
  const numbers = [
    ['usage', 'input_tokens'],
    ['usage', 'output_tokens'],
    ['usage', 'total_tokens'],
    ['usage', 'input_tokens_details', 'cached_tokens'],
    ['usage', 'output_tokens_details', 'reasoning_tokens'],
  ]
  const isTold = hasUsage || dig(response, 'usage') !== null
  for (const path of isTold ? numbers : []) {
    if (typeof dig(response, ...path) !== 'number') problems.push(`${path.join('.')} is no number`)
  }
  const sum =
    digNumber(response, 'usage', 'input_tokens') + digNumber(response, 'usage', 'output_tokens')
  if (digNumber(response, 'usage', 'total_tokens') !== sum) problems.push('total_tokens is no sum')
  for (const event of events) {
    if (event.event !== typeOf(event)) problems.push(`event: ${event.event} for ${typeOf(event)}`)
    if (typeOf(event) !== 'response.output_item.done') continue
    const item = dig(event.json, 'item')
    const isCall = digText(item, 'type') === 'function_call'
    const hasAll = digText(item, 'call_id') !== '' && digText(item, 'name') !== ''
    if (isCall && !(hasAll && typeof dig(item, 'arguments') === 'string')) {
      problems.push('a function_call lacks call_id, name or arguments')
    }
  }
  return problems
}

function r6TwoIds({ events, whole }: Output): string[] {
  const items = [...digList(whole, 'output'), ...digList(events.at(-1)?.json, 'response', 'output')]
  return items
    .filter((item) => digText(item, 'call_id') !== '')
    .filter(
      (item) => digText(item, 'call_id') === digText(item, 'id') || digText(item, 'id') === '',
    )
    .map((item) => `id ${digText(item, 'id')}, call_id ${digText(item, 'call_id')}`)
}
