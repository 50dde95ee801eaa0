import type { ProtocolName } from '../../src/core/neutral/protocol-name.ts'

const megabyte = 1024 * 1024

/** The values of a reply, each as JSON. */
interface Filling {
  readonly text?: string
  readonly image?: string
  readonly beside?: string
  readonly calls?: number
  readonly blocks?: number
}

const fill = (piece: string, bytes: number) =>
  piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))

export const replyShapes: Readonly<Record<string, () => Filling>> = {
  'plain text': () => ({ text: fill('The quick brown fox. ', 32 * megabyte) }),
  Chinese: () => ({ text: fill('文字处理', 32 * megabyte) }),
  'one letter beyond Latin-1': () => ({
    text: `文${fill('The quick brown fox. ', 32 * megabyte - 3)}`,
  }),
  'escaped Chinese': () => ({ text: fill('\\u6587\\u5b57', 40 * megabyte) }),
  quotes: () => ({ text: fill('\\"', 32 * megabyte) }),
  'lines of Unicode': () => ({ text: fill('\u2028', 32 * megabyte) }),
  image: () => ({ image: `iVBORw0KGgo${fill('AAAAAAAA', 48 * megabyte)}A` }),
  'many short texts': () => ({ blocks: 20_000, text: 'The quick brown fox. '.repeat(5) }),
  'many paragraphs': () => ({ blocks: 2_500, text: 'The quick brown fox. '.repeat(140) }),
  '200,000 calls': () => ({ calls: 200_000 }),
  '20,000 calls': () => ({ calls: 20_000 }),
  '2,000,000 names': () => ({ beside: names(2_000_000) }),
  '90,000 names': () => ({ beside: names(90_000) }),
  '12,000 names': () => ({ beside: names(12_000) }),
  '100,000 levels': () => ({ beside: '['.repeat(100_000) + ']'.repeat(100_000) }),
  '60,000 levels': () => ({ beside: '['.repeat(60_000) + ']'.repeat(60_000) }),
}

function names(count: number): string {
  return `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`
}

/** Ways in which an upstream sends many small items. */
export const streamShapes = [
  '1,000,000 empty events',
  '1,000,000 comments',
  '300,000 small deltas',
  '140 large deltas',
  'an event in chunks of one byte',
  '2,000,000 lines in one event',
  'an endless event, packed',
] as const

const repeated = (count: number | undefined, item: (index: number) => string) =>
  Array.from({ length: count ?? 0 }, (_, index) => item(index))

function chatReply({ text = 'Hello', image, calls, blocks, beside }: Filling, isEvent: boolean) {
  const toolCalls = repeated(
    calls,
    (index) =>
      `{"index":${index},"id":"call_${index}","type":"function","function":{"name":"f","arguments":"{}"}}`,
  )
  const parts = repeated(blocks, () => `{"type":"text","text":"${text}"}`)
  const content = blocks ? `[${parts.join()}]` : `"${text}"`
  const images = image
    ? `,"images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,${image}"}}]`
    : ''
  const tools = calls ? `,"tool_calls":[${toolCalls.join()}]` : ''
  const message = `{"role":"assistant","content":${content}${images}${tools}}`
  const member = isEvent ? 'delta' : 'message'
  return `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"${member}":${message},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}${besideOf(beside)}}`
}

function responsesReply({ text = 'Hello', image, calls, blocks, beside }: Filling) {
  const parts = repeated(
    blocks ?? 1,
    () => `{"type":"output_text","text":"${text}","annotations":[]}`,
  )
  const items = [
    `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[${parts.join()}]}`,
    ...repeated(
      calls,
      (index) =>
        `{"type":"function_call","id":"fc_${index}","call_id":"call_${index}","name":"f","arguments":"{}","status":"completed"}`,
    ),
    ...(image
      ? [`{"type":"image_generation_call","id":"ig_1","status":"completed","result":"${image}"}`]
      : []),
  ]
  return `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m","output":[${items.join()}],"usage":{"input_tokens":9,"output_tokens":1,"total_tokens":10}${besideOf(beside)}}`
}

function messagesReply({ text = 'Hello', calls, blocks, beside }: Filling) {
  const content = [
    ...repeated(blocks ?? 1, () => `{"type":"text","text":"${text}"}`),
    ...repeated(
      calls,
      (index) => `{"type":"tool_use","id":"toolu_${index}","name":"f","input":{}}`,
    ),
  ]
  return `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[${content.join()}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":1}${besideOf(beside)}}`
}

function contentReply({ text = 'Hello', image, calls, blocks, beside }: Filling) {
  const parts = [
    ...repeated(blocks ?? 1, () => `{"text":"${text}"}`),
    ...(image ? [`{"inlineData":{"mimeType":"image/png","data":"${image}"}}`] : []),
    ...repeated(calls, () => '{"functionCall":{"name":"f","args":{}}}'),
  ]
  return `{"candidates":[{"content":{"role":"model","parts":[${parts.join()}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"totalTokenCount":10},"modelVersion":"m"${besideOf(beside)}}`
}

const besideOf = (beside: string | undefined) => (beside === undefined ? '' : `,"x":${beside}`)

export function wholeReply(protocol: ProtocolName, filling: Filling): string {
  switch (protocol) {
    case 'chat-completions':
      return chatReply(filling, false)
    case 'responses':
      return responsesReply(filling)
    case 'messages':
      return messagesReply(filling)
    case 'generate-content':
      return contentReply(filling)
  }
}

/** The reply as a stream in which one event contains nearly everything. */
export function streamedReply(protocol: ProtocolName, filling: Filling): string {
  const { text = 'Hello', beside, calls, blocks } = filling
  switch (protocol) {
    case 'chat-completions':
      return `data: ${chatReply(filling, true)}\n\ndata: [DONE]\n\n`
    case 'responses':
      return events([
        ['response.created', `"response":{"id":"resp_1","status":"in_progress"}`],
        ['response.completed', `"response":${responsesReply(filling)}`],
      ])
    case 'messages': {
      // An event of this protocol contains one block.
      const count = Math.max(1, calls ?? 0, blocks ?? 0)
      const block = calls
        ? (index: number) => `{"type":"tool_use","id":"toolu_${index}","name":"f","input":{}}`
        : () => `{"type":"text","text":"${text}"}`
      return events([
        [
          'message_start',
          `"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":9,"output_tokens":1}}`,
        ],
        ...Array.from({ length: count }, (_, index) => index).flatMap(
          (index): [string, string][] => [
            [
              'content_block_start',
              `"index":${index},"content_block":${block(index)}${besideOf(beside)}`,
            ],
            ['content_block_stop', `"index":${index}`],
          ],
        ),
        ['message_delta', `"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}`],
        ['message_stop', `"x":1`],
      ])
    }
    case 'generate-content':
      return `data: ${contentReply(filling)}\n\n`
  }
}

function events(list: readonly (readonly [type: string, members: string])[]): string {
  return list
    .map(([type, members]) => `event: ${type}\ndata: {"type":"${type}",${members}}\n\n`)
    .join('')
}

/** A delta that is empty or contains a word. */
export function delta(protocol: ProtocolName, text: string): string {
  switch (protocol) {
    case 'chat-completions':
      return `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`
    case 'responses':
      return `data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"${text}"}\n\n`
    case 'messages':
      return `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}}\n\n`
    case 'generate-content':
      return `data: {"candidates":[{"content":{"parts":[{"text":"${text}"}]}}]}\n\n`
  }
}
