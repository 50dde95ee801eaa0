import type { ProtocolName } from '../../src/core/neutral/protocol-name.ts'

/** Conversations with as many turns as the limits for names and items in a body allow, one kind of turn each. */
export interface ConversationShape {
  readonly name: string
  turns(protocol: ProtocolName): readonly string[]
  /** Members beside the turns. */
  beside?(protocol: ProtocolName): string
}

type Maker = Readonly<Record<ProtocolName, string>>

const repeated = (count: number, turn: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => turn(index))

const said = (role: 'user' | 'assistant' | 'system', text: string): Maker => {
  const plain = `{"role":"${role}","content":"${text}"}`
  const part = (type: string) =>
    `{"role":"${role}","content":[{"type":"${type}","text":"${text}"}]}`
  return {
    'chat-completions': plain,
    messages: plain,
    responses: role === 'assistant' ? part('output_text') : plain,
    'generate-content': `{"role":"${role === 'assistant' ? 'model' : 'user'}","parts":[{"text":"${text}"}]}`,
  }
}

const inParts: Maker = {
  'chat-completions': '{"role":"user","content":[{"type":"text","text":"hi"}]}',
  messages: '{"role":"user","content":[{"type":"text","text":"hi"}]}',
  responses: '{"role":"user","content":[{"type":"input_text","text":"hi"}]}',
  'generate-content': '{"role":"user","parts":[{"text":"hi"}]}',
}

const address = 'https://a.test/a.png'
const pictured: Maker = {
  'chat-completions': `{"role":"user","content":[{"type":"image_url","image_url":{"url":"${address}"}}]}`,
  messages: `{"role":"user","content":[{"type":"image","source":{"type":"url","url":"${address}"}}]}`,
  responses: `{"role":"user","content":[{"type":"input_image","image_url":"${address}"}]}`,
  'generate-content': `{"role":"user","parts":[{"fileData":{"mimeType":"image/png","fileUri":"${address}"}}]}`,
}

const thought: Maker = {
  'chat-completions': '{"role":"assistant","reasoning_content":"hm","content":"hi"}',
  messages:
    '{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"abc"},{"type":"text","text":"hi"}]}',
  responses: '{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"abc"}',
  'generate-content':
    '{"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"abcd"},{"text":"hi"}]}',
}

const call = (id: string): Maker => ({
  'chat-completions': `{"role":"assistant","tool_calls":[{"id":"${id}","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
  messages: `{"role":"assistant","content":[{"type":"tool_use","id":"${id}","name":"f","input":{}}]}`,
  responses: `{"type":"function_call","call_id":"${id}","name":"f","arguments":"{}"}`,
  'generate-content': `{"role":"model","parts":[{"functionCall":{"id":"${id}","name":"f","args":{}}}]}`,
})

const result = (id: string, text = 'ok'): Maker => ({
  'chat-completions': `{"role":"tool","tool_call_id":"${id}","content":"${text}"}`,
  messages: `{"role":"user","content":[{"type":"tool_result","tool_use_id":"${id}","content":"${text}"}]}`,
  responses: `{"type":"function_call_output","call_id":"${id}","output":"${text}"}`,
  'generate-content': `{"role":"user","parts":[{"functionResponse":{"id":"${id}","name":"f","response":{"result":"${text}"}}}]}`,
})

const schema = '{"type":"object","properties":{"a":{"type":"string"}}}'
const tool = (name: string): Maker => ({
  'chat-completions': `{"type":"function","function":{"name":"${name}","parameters":${schema}}}`,
  messages: `{"name":"${name}","input_schema":${schema}}`,
  responses: `{"type":"function","name":"${name}","parameters":${schema}}`,
  'generate-content': `{"functionDeclarations":[{"name":"${name}","parameters":${schema}}]}`,
})

/** Half as many in generate-content, which uses more names for most values. */
const fewer = (protocol: ProtocolName, count: number) =>
  protocol === 'generate-content' ? Math.floor(count / 2) : count

const alternating = (protocol: ProtocolName, count: number) =>
  repeated(count, (index) => said(index % 2 === 0 ? 'user' : 'assistant', 'hi')[protocol])

export const conversations: readonly ConversationShape[] = [
  {
    name: '14,000 turns from both roles',
    turns: (protocol) => alternating(protocol, 14_000),
  },
  {
    name: '20,000 turns with instructions between them',
    turns: (protocol) =>
      repeated(
        fewer(protocol, 20_000),
        (index) => said(index % 2 === 0 ? 'user' : 'system', 'hi')[protocol],
      ),
  },
  {
    name: '14,000 turns with parts',
    turns: (protocol) => repeated(14_000, () => inParts[protocol]),
  },
  {
    name: '9,500 images by URL',
    turns: (protocol) => repeated(9_500, () => pictured[protocol]),
  },
  {
    name: '9,000 thoughts',
    turns: (protocol) => repeated(9_000, () => thought[protocol]),
  },
  {
    name: '6,000 calls with results',
    turns: (protocol) =>
      repeated(
        fewer(protocol, 6_000),
        (index) => `${call(`c${index}`)[protocol]},${result(`c${index}`)[protocol]}`,
      ),
  },
  {
    name: '6,000 calls with one id that no upstream accepts',
    turns: (protocol) =>
      repeated(fewer(protocol, 6_000), () => `${call('é')[protocol]},${result('é')[protocol]}`),
  },
  {
    name: '7,000 calls, none answered',
    turns: (protocol) =>
      repeated(
        fewer(protocol, 7_000),
        (index) => `${call(`c${index}`)[protocol]},${said('user', 'hi')[protocol]}`,
      ),
  },
  {
    name: 'one result again and again',
    turns: (protocol) => [
      call('c')[protocol],
      ...repeated(
        fewer(protocol, 11_000),
        (index) => result('c', index === 0 ? 'x'.repeat(2_000_000) : 'y')[protocol],
      ),
    ],
  },
  {
    name: 'an id of a million characters',
    turns: (protocol) => [
      call('é'.repeat(1_000_000))[protocol],
      result('é'.repeat(1_000_000))[protocol],
    ],
  },
  {
    name: '100 tools and 13,000 turns',
    turns: (protocol) => alternating(protocol, 13_000),
    beside: (protocol) =>
      `,"tools":[${repeated(100, (index) => tool(`t${index}`)[protocol]).join()}]`,
  },
]
