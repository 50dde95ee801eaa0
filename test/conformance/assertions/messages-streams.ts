import { parseJson } from '../../../src/wire/json.ts'
import { dig, digNumber, digText } from '../dig.ts'
import type { WireEvent } from '../read-sse.ts'
import type { Output, StreamRule } from './stream-rule.ts'

export const messagesStreams: Readonly<Record<string, StreamRule>> = {
  'M1 one message_start first, one message_stop last': m1StartAndStop,
  'M2 blocks are balanced, in sequence, counted from 0': m2BlocksInSequence,
  'M3 a delta fits its block': m3DeltaFitsBlock,
  'M4 one message_delta after the last block, with a stop reason': m4OneMessageDelta,
  'M5 the event line is the type': m5EventLine,
  'M6 the arguments add up to JSON or nothing': m6ArgumentsAreJson,
}

function typeOf({ json }: WireEvent): string {
  return digText(json, 'type')
}

function m1StartAndStop({ events }: Output): string[] {
  const types = events.map(typeOf).filter((type) => type !== 'ping')
  const count = (type: string) => types.filter((each) => each === type).length
  const isGood =
    types[0] === 'message_start' &&
    types.at(-1) === 'message_stop' &&
    count('message_start') === 1 &&
    count('message_stop') === 1
  return isGood ? [] : [`${types[0]} … ${types.at(-1)}`]
}

function m2BlocksInSequence({ events }: Output): string[] {
  const problems: string[] = []
  let next = 0
  let open: number | undefined
  for (const event of events) {
    const type = typeOf(event)
    const index = digNumber(event.json, 'index')
    if (type === 'content_block_start') {
      if (open !== undefined) problems.push(`block ${index} begins inside block ${open}`)
      if (index !== next) problems.push(`block ${index} comes in place of ${next}`)
      open = index
      next = index + 1
    } else if (type === 'content_block_delta' && open !== index) {
      problems.push(`a delta for block ${index} while ${open} is open`)
    } else if (type === 'content_block_stop') {
      if (open !== index) problems.push(`block ${index} stops while ${open} is open`)
      open = undefined
    } else if (type === 'message_delta' && open !== undefined) {
      problems.push(`message_delta inside block ${open}`)
    }
  }
  if (open !== undefined) problems.push(`block ${open} never stops`)
  return problems
}

const deltasOf: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
  redacted_thinking: [],
}

function m3DeltaFitsBlock({ events }: Output): string[] {
  const types = new Map<number, string>()
  return events.flatMap(({ json }) => {
    const index = digNumber(json, 'index')
    if (digText(json, 'type') === 'content_block_start') {
      types.set(index, digText(json, 'content_block', 'type'))
    }
    if (digText(json, 'type') !== 'content_block_delta') return []
    const delta = digText(json, 'delta', 'type')
    const block = types.get(index) ?? 'none'
    const fitting = deltasOf[block] ?? [delta]
    return fitting.includes(delta) ? [] : [`${delta} in a block of type ${block}`]
  })
}

function m4OneMessageDelta({ events }: Output): string[] {
  const types = events.map(typeOf)
  const problems: string[] = []
  const count = types.filter((type) => type === 'message_delta').length
  if (count !== 1) problems.push(`${count} message_delta events`)
  if (types.lastIndexOf('content_block_stop') > types.indexOf('message_delta')) {
    problems.push('message_delta before the last content_block_stop')
  }
  const delta = events.find((event) => typeOf(event) === 'message_delta')
  if (digText(delta?.json, 'delta', 'stop_reason') === '') problems.push('no stop reason')
  return problems
}

function m5EventLine({ events }: Output): string[] {
  return events
    .filter((event) => event.event !== typeOf(event))
    .map((event) => `event: ${event.event}, type ${typeOf(event)}`)
}

function m6ArgumentsAreJson({ events }: Output): string[] {
  const texts = new Map<number, string>()
  for (const { json } of events) {
    if (digText(json, 'delta', 'type') !== 'input_json_delta') continue
    const index = digNumber(json, 'index')
    texts.set(index, (texts.get(index) ?? '') + digText(json, 'delta', 'partial_json'))
  }
  // A reply that reached its token limit may end inside the arguments, and reports this.
  const isCut = events.some(({ json }) => dig(json, 'delta', 'stop_reason') === 'max_tokens')
  return [...texts.values()]
    .filter((text) => text !== '' && parseJson(text) === undefined && !isCut)
    .map((text) => `arguments ${text.slice(0, 80)}`)
}
