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

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  maxRequestBodySize: 1024 ** 3,
  fetch: async (request) => {
    for await (const _ of request.body ?? []) {
      // Nobody reads it.
    }
    const path = new URL(request.url).pathname
    const reply = replies.find(([part]) => path.endsWith(part))?.[1]
    return reply ? Response.json(reply) : new Response('{}', { status: 404 })
  },
})
process.stdout.write(`${server.port}\n`)
