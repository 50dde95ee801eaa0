// An upstream of all four protocols that throws bodies away and answers in a few words. Prints its port.
const replies: readonly [part: string, reply: object][] = [
  [
    '/chat/completions',
    {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
    },
  ],
  [
    '/responses',
    {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'm',
      output: [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
        },
      ],
      usage: { input_tokens: 9, output_tokens: 1, total_tokens: 10 },
    },
  ],
  [
    '/messages',
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  ],
  [
    ':generateContent',
    {
      candidates: [
        { content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' },
      ],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1, totalTokenCount: 10 },
    },
  ],
]

const lookedAtMax = 4_096
const longReplyBytes = 32 * 1024 * 1024
const longWords: readonly [script: string, words: () => string][] = [
  ['reply-long', () => 'The quick brown fox. '.repeat(longReplyBytes / 21)],
  ['reply-long-chinese', () => '文字处理'.repeat(longReplyBytes / 12)],
]

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  maxRequestBodySize: 1024 ** 3,
  fetch: async (request) => {
    // Only the beginning is looked at: it may ask for a long reply.
    let begin = ''
    for await (const bytes of request.body ?? []) {
      if (begin.length < lookedAtMax) begin += new TextDecoder().decode(bytes)
    }
    const path = new URL(request.url).pathname
    const reply = replies.find(([part]) => path.endsWith(part))?.[1]
    if (!reply) return new Response('{}', { status: 404 })
    const words = longWords.find(([script]) => begin.includes(`${script}!`))?.[1]
    const text = JSON.stringify(reply)
    const headers = { 'content-type': 'application/json' }
    return new Response(words ? text.replace('Hello', () => words()) : text, { headers })
  },
})
process.stdout.write(`${server.port}\n`)
