import type { ProtocolName } from '../../src/core/neutral/protocol-name.ts'
import { streamedReply } from './replies.ts'

/** A stream of many similar events: its beginning, the repeated event, and its end. */
export interface LongStream {
  readonly first: string
  readonly event: string
  readonly count: number
  readonly last: string
}

type Kind = 'text' | 'reasoning' | 'arguments' | 'logprobs' | 'sources' | 'calls'

interface Plan {
  readonly kind: Kind
  /** The text as JSON inside a string. */
  readonly text: string
  readonly count: number
}

/** One character beyond Latin-1 makes the runtime store every character of the text in two bytes. */
const wide = (text: string) => `文${text}`

const words = (word: string, characters: number) =>
  word.repeat(Math.floor(characters / word.length))

/** The largest streams that are not refused, and some larger ones. */
const plans: Readonly<Record<string, Plan>> = {
  '300,000 deltas of reasoning': { kind: 'reasoning', text: 'a ', count: 300_000 },
  '250,000 deltas of reasoning': { kind: 'reasoning', text: 'a ', count: 250_000 },
  '300,000 deltas beyond Latin-1': { kind: 'text', text: '文 ', count: 300_000 },
  '300,000 deltas of reasoning beyond Latin-1': { kind: 'reasoning', text: '文 ', count: 300_000 },
  '300,000 deltas of arguments': { kind: 'arguments', text: 'a ', count: 300_000 },
  '300,000 deltas with log probabilities': { kind: 'logprobs', text: 'a ', count: 300_000 },
  '100,000 sources': { kind: 'sources', text: 'a ', count: 100_000 },
  '3,900 sources': { kind: 'sources', text: 'a ', count: 3_900 },
  '50,000 calls': { kind: 'calls', text: 'a', count: 50_000 },
  '3,900 calls with long arguments': { kind: 'calls', text: words('many ', 1_300), count: 3_900 },
  'a long text': { kind: 'text', text: words('many words ', 55_000), count: 94 },
  'a long text in Chinese': { kind: 'text', text: words('文字处理', 40_000), count: 130 },
  'a long text of escapes': { kind: 'text', text: '\\u0001'.repeat(20_000), count: 260 },
  'a long text, one letter beyond Latin-1': {
    kind: 'text',
    text: wide(words('many words ', 55_000)),
    count: 94,
  },
  'long reasoning, one letter beyond Latin-1': {
    kind: 'reasoning',
    text: wide(words('many words ', 55_000)),
    count: 94,
  },
  'long arguments, one letter beyond Latin-1': {
    kind: 'arguments',
    text: wide(words('many words ', 55_000)),
    count: 19,
  },
  'long reasoning': { kind: 'reasoning', text: words('many words ', 55_000), count: 94 },
  'long reasoning in Chinese': { kind: 'reasoning', text: words('文字处理', 40_000), count: 130 },
  'long arguments': { kind: 'arguments', text: words('many words ', 55_000), count: 94 },
  'long arguments in Chinese': { kind: 'arguments', text: words('文字处理', 40_000), count: 130 },
}

/** Requests with one of these shapes ask to store the response, where the protocol supports it. */
export const storedShapes: Readonly<Record<string, string>> = {
  'a stored text': 'a shorter text',
  'a stored text in Chinese': 'a shorter text in Chinese',
}

const shorter: Readonly<Record<string, Plan>> = {
  'a shorter text': { kind: 'text', text: words('many words ', 55_000), count: 74 },
  'a shorter text in Chinese': { kind: 'text', text: words('文字处理', 40_000), count: 33 },
}

export const longStreamShapes = [...Object.keys(plans), ...Object.keys(storedShapes)]

/** Undefined for an unknown shape, or if the protocol has no such event. */
export function longStream(protocol: ProtocolName, shape: string): LongStream | undefined {
  const plan = plans[shape] ?? shorter[storedShapes[shape] ?? '']
  if (!plan) return undefined
  const { first, event, last } = makers[protocol](plan)
  return { first, event, count: plan.count, last: last + streamedReply(protocol, {}) }
}

type Made = Omit<LongStream, 'count'>
const data = (json: string) => `data: ${json}\n\n`

function chat({ kind, text }: Plan): Made {
  const chunk = (delta: string, beside = '') =>
    data(`{"choices":[{"index":0,"delta":{${delta}}${beside}}]}`)
  const call = (members: string) => chunk(`"tool_calls":[{"index":0,${members}}]`)
  const piece = (json: string) => call(`"function":{"arguments":"${json}"}`)
  switch (kind) {
    case 'text':
      return { first: '', event: chunk(`"content":"${text}"`), last: '' }
    case 'reasoning':
      return { first: '', event: chunk(`"reasoning_content":"${text}"`), last: '' }
    case 'arguments': {
      const first = call('"id":"call_1","type":"function","function":{"name":"f","arguments":""}')
      return { first: first + piece('{\\"x\\":\\"'), event: piece(text), last: piece('\\"}') }
    }
    case 'logprobs': {
      const token = `{"token":"${text}","logprob":-0.5,"bytes":[97],"top_logprobs":[]}`
      const beside = `,"logprobs":{"content":[${token}]}`
      return { first: '', event: chunk(`"content":"${text}"`, beside), last: '' }
    }
    case 'sources': {
      const source = '{"type":"url_citation","url_citation":{"url":"https://a.test","title":"a"}}'
      return {
        first: '',
        event: chunk(`"content":"${text}","annotations":[${source}]`),
        last: '',
      }
    }
    case 'calls': {
      const whole = `"type":"function","function":{"name":"f","arguments":"{\\"x\\":\\"${text}\\"}"}`
      return { first: '', event: chunk(`"tool_calls":[{${whole}}]`), last: '' }
    }
  }
}

function responses({ kind, text }: Plan): Made {
  const event = (type: string, members: string) => data(`{"type":"response.${type}",${members}}`)
  const place = '"output_index":0,"content_index":0,"item_id":"i_1"'
  const spoken = (members: string) => event('output_text.delta', `${place},${members}`)
  const call = (members: string) =>
    `"item":{"type":"function_call","id":"i_1","call_id":"call_1","name":"f",${members}}`
  switch (kind) {
    case 'text':
      return { first: '', event: spoken(`"delta":"${text}"`), last: '' }
    case 'reasoning': {
      const thought = `${place},"summary_index":0,"delta":"${text}"`
      return { first: '', event: event('reasoning_summary_text.delta', thought), last: '' }
    }
    case 'arguments': {
      const added = event('output_item.added', `"output_index":0,${call('"arguments":""')}`)
      const piece = (json: string) =>
        event('function_call_arguments.delta', `${place},"delta":"${json}"`)
      return { first: added + piece('{\\"x\\":\\"'), event: piece(text), last: piece('\\"}') }
    }
    case 'logprobs': {
      const token = `{"token":"${text}","logprob":-0.5,"bytes":[97],"top_logprobs":[]}`
      return { first: '', event: spoken(`"delta":"${text}","logprobs":[${token}]`), last: '' }
    }
    case 'sources': {
      const source = '{"type":"url_citation","url":"https://a.test","title":"a"}'
      const added = event('output_text.annotation.added', `${place},"annotation":${source}`)
      return { first: '', event: spoken(`"delta":"${text}"`) + added, last: '' }
    }
    case 'calls': {
      const item = `"item":{"type":"function_call","name":"f","arguments":"{\\"x\\":\\"${text}\\"}"}`
      return { first: '', event: event('output_item.done', `"item_id":"",${item}`), last: '' }
    }
  }
}

function messages({ kind, text }: Plan): Made {
  const start = (block: string) =>
    data(`{"type":"content_block_start","index":0,"content_block":${block}}`)
  const delta = (members: string) =>
    data(`{"type":"content_block_delta","index":0,"delta":{${members}}}`)
  const stop = data('{"type":"content_block_stop","index":0}')
  const piece = (json: string) => delta(`"type":"input_json_delta","partial_json":"${json}"`)
  const begun = start('{"type":"text","text":""}')
  const spoken = delta(`"type":"text_delta","text":"${text}"`)
  const tool = '{"type":"tool_use","id":"toolu_1","name":"f","input":{}}'
  switch (kind) {
    case 'text':
    case 'logprobs':
      return { first: begun, event: spoken, last: stop }
    case 'reasoning': {
      const event = delta(`"type":"thinking_delta","thinking":"${text}"`)
      return { first: start('{"type":"thinking","thinking":""}'), event, last: stop }
    }
    case 'arguments': {
      const first = start(tool) + piece('{\\"x\\":\\"')
      return { first, event: piece(text), last: piece('\\"}') + stop }
    }
    case 'sources': {
      const source = '{"type":"web_search_result_location","url":"https://a.test","title":"a"}'
      const cited = delta(`"type":"citations_delta","citation":${source}`)
      return { first: begun, event: spoken + cited, last: stop }
    }
    case 'calls':
      return { first: '', event: start(tool) + piece(`{\\"x\\":\\"${text}\\"}`) + stop, last: '' }
  }
}

function generateContent({ kind, text }: Plan): Made {
  const chunk = (part: string, beside = '') =>
    data(`{"candidates":[{"content":{"parts":[${part}]}${beside}}]}`)
  switch (kind) {
    case 'text':
      return { first: '', event: chunk(`{"text":"${text}"}`), last: '' }
    case 'reasoning':
      return { first: '', event: chunk(`{"text":"${text}","thought":true}`), last: '' }
    case 'arguments': {
      const first = chunk('{"functionCall":{"name":"f","willContinue":true}}')
      const piece = `{"jsonPath":"$.x","stringValue":"${text}","willContinue":true}`
      const event = chunk(`{"functionCall":{"partialArgs":[${piece}],"willContinue":true}}`)
      return { first, event, last: chunk('{"functionCall":{}}') }
    }
    case 'logprobs': {
      const token = `{"token":"${text}","logProbability":-0.5}`
      const beside = `,"logprobsResult":{"chosenCandidates":[${token}]}`
      return { first: '', event: chunk(`{"text":"${text}"}`, beside), last: '' }
    }
    case 'sources': {
      const source = '{"startIndex":0,"endIndex":1,"uri":"https://a.test","title":"a"}'
      const beside = `,"citationMetadata":{"citationSources":[${source}]}`
      return { first: '', event: chunk(`{"text":"${text}"}`, beside), last: '' }
    }
    case 'calls': {
      const event = chunk(`{"functionCall":{"name":"f","args":{"x":"${text}"}}}`)
      return { first: '', event, last: '' }
    }
  }
}

const makers: Readonly<Record<ProtocolName, (plan: Plan) => Made>> = {
  'chat-completions': chat,
  responses,
  messages,
  'generate-content': generateContent,
}
