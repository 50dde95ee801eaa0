// All bytes that the minimal upstream sends are built once at start, so that an answer costs one write.

const created = 1_767_225_600
const words = [' toll', ' gate', ' opens', ' when', ' the', ' coin', ' has', ' dropped']

const usage = {
  prompt_tokens: 42,
  completion_tokens: 128,
  total_tokens: 170,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
}

const completion = {
  id: 'chatcmpl-bench0000000000000000000000',
  object: 'chat.completion',
  created,
  model: 'bench-model',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: words.join('').repeat(3).trim(), refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage,
  service_tier: 'default',
  system_fingerprint: 'fp_bench00000',
}

export const completionReply = jsonReply('200 OK', completion)

export const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n' +
    'cache-control: no-cache\r\nx-request-id: req_bench\r\ntransfer-encoding: chunked\r\n\r\n',
)

export const contentEvents: readonly Buffer[] = words.map((content) =>
  chunk(eventText({ choices: [choice({ content }, null)] })),
)

// The last write of a stream: finish, usage, the end mark and the empty chunk that ends the body.
export const streamTail = Buffer.concat([
  chunk(eventText({ choices: [choice({}, 'stop')] })),
  chunk(eventText({ choices: [], usage })),
  chunk('data: [DONE]\n\n'),
  Buffer.from('0\r\n\r\n'),
])

export function jsonReply(status: string, value: unknown): Buffer {
  const body = JSON.stringify(value)
  return Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nx-request-id: req_bench\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function choice(delta: object, finishReason: string | null) {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason }
}

function eventText(fields: object): string {
  const event = {
    id: completion.id,
    object: 'chat.completion.chunk',
    created,
    model: completion.model,
    service_tier: completion.service_tier,
    system_fingerprint: completion.system_fingerprint,
    ...fields,
  }
  return `data: ${JSON.stringify(event)}\n\n`
}

function chunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
}
