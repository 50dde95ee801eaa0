import { describe, expect, test } from 'bun:test'
import { foldReply } from '../../../src/core/neutral/fold-reply.ts'
import type { ModelRequest } from '../../../src/core/neutral/model-request.ts'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { Notes } from '../../../src/protocols/notes.ts'
import { writeJson } from '../../../src/wire/exact-json.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { scanJson } from '../../../src/wire/scan-json.ts'
import { SseFramer } from '../../../src/wire/sse-framer.ts'

const upstream = { issuer: 'i', replies: {}, mint: (prefix: string) => `${prefix}1` }

function decode(from: ProtocolName, body: object): ModelRequest {
  const text = JSON.stringify(body)
  const value = parseJson(text)
  const scan = scanJson(text, 64)
  if (!isObject(value) || !scan.ok) throw new Error('the request has no body')
  const path = { model: 'm', isStream: false, framing: 'sse' } as const
  const json = { text, value, members: scan.members }
  const facts = protocols[from].passThrough.decodeFacts(json, path)
  return protocols[from].translation.decodeRequest(json, facts)
}

function written(
  request: ModelRequest,
  to: ProtocolName,
): { text: string; warnings: readonly string[] } {
  const notes = new Notes(protocols[to].translation.fieldNames, false)
  const target = { model: 'up', issuer: 'i', traits: {}, outputTokensMax: 100 }
  const text = writeJson(protocols[to].translation.encodeRequest(request, target, notes))
  return { text, warnings: notes.warnings }
}

/** A whole reply of a chat upstream, as events. */
const chatReply = (message: object, more: object = {}) =>
  protocols['chat-completions'].translation.decodeReply(
    JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], ...more }),
    upstream,
  )

function chatStream(chunks: readonly object[]) {
  const decoder = protocols['chat-completions'].translation.openDecoder(upstream)
  const framer = new SseFramer(1 << 20)
  const text = `${chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`
  return framer.push(new TextEncoder().encode(text)).flatMap((frame) => decoder.push(frame))
}

function toClient(
  client: ProtocolName,
  events: Parameters<typeof foldReply>[0],
  isStream: boolean,
): string {
  const context = {
    request: decode('chat-completions', {
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
    }),
    requestId: 'r',
    body: {},
    wantsStreamUsage: false,
    framing: 'sse' as const,
    createdAtSeconds: 1,
    estimatedInputTokens: 1,
    mint: (prefix: string) => `${prefix}1`,
  }
  const { translation } = protocols[client]
  if (!isStream) return translation.encodeReply([...events], context)
  const encoder = translation.openEncoder(context)
  return [...events].map((event) => encoder.push(event)).join('')
}

describe('sources of an answer', () => {
  const sources = {
    citations: ['https://a.example/1', 'https://b.example/2'],
    search_results: [
      { title: 'First', url: 'https://a.example/1', date: '2026-01-01' },
      { title: 'Third', url: 'https://c.example/3', snippet: 'words' },
    ],
  }
  const expected = [
    { url: 'https://a.example/1', title: 'First' },
    { url: 'https://b.example/2', title: undefined },
    { url: 'https://c.example/3', title: 'Third', citedText: 'words' },
  ]
  const choice = (delta: object, finish: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

  test('next to the choices of a reply that is not streamed', () => {
    const reply = foldReply(chatReply({ content: 'See [1].' }, sources))
    expect(reply.answers[0]?.parts[0]?.part).toMatchObject({ annotations: expected })
  })

  test('next to the choices of every chunk, or of the last one: delivered once', () => {
    for (const first of [sources, {}]) {
      const reply = foldReply(
        chatStream([
          { ...choice({ content: 'See ' }), ...first },
          { ...choice({ content: '[1].' }), ...first },
          { ...choice({}, 'stop'), ...sources },
        ]),
      )
      expect(reply.answers[0]?.parts).toHaveLength(1)
      expect(reply.answers[0]?.parts[0]?.part).toMatchObject({ annotations: expected })
    }
  })

  test('links that arrive before the text, and next to sources with the same URL', () => {
    const link = {
      type: 'url_citation',
      url_citation: { url: 'https://a.example/1', title: 'Own' },
    }
    const reply = foldReply(
      chatStream([
        choice({ annotations: [link] }),
        { ...choice({ content: 'a' }, 'stop'), ...sources },
      ]),
    )
    const part = reply.answers[0]?.parts[0]?.part
    const annotations = part?.type === 'text' ? (part.annotations ?? []) : []
    expect(annotations.map(({ url }) => url)).toEqual(expected.map(({ url }) => url))
    expect(annotations[0]?.title).toBe('Own')
  })

  for (const client of protocolNames) {
    test.each([true, false])(`a ${client} client gets all of them (stream: %p)`, (isStream) => {
      const text = toClient(client, chatReply({ content: 'See [1].' }, sources), isStream)
      for (const { url } of expected) expect(text).toContain(url)
    })
  }
})

describe('media of a model', () => {
  const sound = new TextEncoder().encode('RIFF sound').toBase64()
  const gemini = (parts: object[]) =>
    protocols['generate-content'].translation.decodeReply(
      JSON.stringify({ candidates: [{ content: { parts }, finishReason: 'STOP' }] }),
      upstream,
    )
  const spoken = gemini([{ inlineData: { mimeType: 'audio/L16;rate=24000', data: sound } }])

  test.each([true, false])('audio reaches a chat client as audio (stream: %p)', (isStream) => {
    expect(toClient('chat-completions', spoken, isStream)).toContain(`"data":"${sound}"`)
  })

  test.each([
    ['responses', true],
    ['responses', false],
    ['messages', true],
    ['messages', false],
  ] as const)('%s cannot carry audio and reports it (stream: %p)', (client, isStream) => {
    expect(toClient(client, spoken, isStream)).toContain('which this protocol cannot carry')
  })

  test('a chat client gets a text in place of a video', () => {
    const events = gemini([{ inlineData: { mimeType: 'video/mp4', data: sound } }])
    expect(toClient('chat-completions', events, false)).toContain(
      'The model answered with video/mp4',
    )
  })

  test('audio of a chat upstream arrives in pieces, with its transcript', () => {
    const half = new TextEncoder().encode('RIFF ').toBase64()
    const rest = new TextEncoder().encode('sound').toBase64()
    const choice = (audio: object, finish: string | null) => ({
      choices: [{ index: 0, delta: { audio }, finish_reason: finish }],
    })
    const events = chatStream([
      choice({ id: 'audio_1', transcript: 'Hel', data: half }, null),
      choice({ transcript: 'lo', data: rest }, 'stop'),
    ])
    const parts = foldReply(events).answers[0]?.parts.map(({ part }) => part)
    expect(parts).toMatchObject([
      { type: 'text', text: 'Hello' },
      { type: 'media', kind: 'audio', source: { type: 'base64', data: sound } },
    ])
  })

  const inWire = (text: string) => Uint8Array.from(text, (each) => each.charCodeAt(0)).toBase64()
  test.each([
    ['audio/mpeg', ['ID3\x04', 'frames']],
    ['audio/ogg', ['OggS\0\x02']],
    ['audio/wav', ['RIFF\0\0\0\0WA', 'VEfmt ']],
    ['audio/pcm', ['\x01\0', '\x02\0']],
    ['audio/pcm', ['\x01\0\x02\0']],
  ])('a generate-content client gets the format of the audio: %s', (mimeType, pieces) => {
    const data = inWire(pieces.join(''))
    const chunks = pieces.map((piece) => ({
      choices: [{ index: 0, delta: { audio: { data: inWire(piece) } }, finish_reason: null }],
    }))
    const told = `"inlineData":${JSON.stringify({ mimeType, data })}`
    expect(toClient('generate-content', chatStream(chunks), true)).toContain(told)
    const whole = chatReply({ content: null, audio: { id: 'audio_1', data, transcript: '' } })
    expect(toClient('generate-content', whole, false)).toContain(told)
  })

  test('an image that a model made earlier stays in the history', () => {
    const url = 'data:image/png;base64,iVBORw0KGgo='
    const assistant = {
      role: 'assistant',
      content: '',
      images: [{ type: 'image_url', image_url: { url } }],
    }
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: 'draw' }, assistant, { role: 'user', content: 'more' }],
    }
    const request = decode('chat-completions', body)
    expect(written(request, 'generate-content').text).toContain('"data":"iVBORw0KGgo="')
    const back = decode('generate-content', {
      contents: [
        { role: 'user', parts: [{ text: 'draw' }] },
        { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
        { role: 'user', parts: [{ text: 'more' }] },
      ],
    })
    expect(written(back, 'chat-completions').warnings).toContainEqual(
      expect.stringContaining('media_dropped'),
    )
  })
})

describe('unusual fields of clients', () => {
  const chat = (more: object) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    ...more,
  })
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]

  test.each([{ function: { name: 'f' } }, { name: 'f' }, { type: 'tool', name: 'f' }])(
    'a chat tool_choice %j names the tool',
    (choice) => {
      const request = decode('chat-completions', chat({ tools, tool_choice: choice }))
      expect(request.toolChoice).toEqual({ type: 'tool', name: 'f' })
    },
  )

  test.each([{ name: 'f' }, { function: { name: 'f' } }])(
    'a responses tool_choice %j too',
    (choice) => {
      const request = decode('responses', { model: 'm', input: 'hi', tool_choice: choice })
      expect(request.toolChoice).toEqual({ type: 'tool', name: 'f' })
    },
  )

  test('a messages tool_choice without a type too', () => {
    const body = { ...chat({ max_tokens: 9, tool_choice: { name: 'f' } }) }
    expect(decode('messages', body).toolChoice).toEqual({ type: 'tool', name: 'f' })
  })

  test('an effort of "default" leaves it to the model', () => {
    expect(decode('chat-completions', chat({ reasoning_effort: 'default' })).reasoning).toEqual({
      mode: 'auto',
    })
    const body = { model: 'm', input: 'hi', reasoning: { effort: 'default' } }
    expect(decode('responses', body).reasoning).toEqual({ mode: 'auto' })
  })

  const documents: object[] = [
    { type: 'document_url', document_url: 'https://a.example/x.pdf' },
    { type: 'document_url', document_url: { url: 'https://a.example/x.pdf' } },
    { type: 'file_url', file_url: { url: 'https://a.example/x.pdf' } },
    { type: 'file_url', file_url: 'https://a.example/x.pdf' },
  ]
  test.each(documents)('a document as %j', (part) => {
    const expected = { kind: 'document', source: { type: 'url', url: 'https://a.example/x.pdf' } }
    const message = { role: 'user', content: [part] }
    expect(
      decode('chat-completions', { model: 'm', messages: [message] }).turns[0]?.parts[0],
    ).toMatchObject(expected)
    expect(decode('responses', { model: 'm', input: [message] }).turns[0]?.parts[0]).toMatchObject(
      expected,
    )
  })

  test('an unexpected call needs no result', () => {
    const events = protocols['generate-content'].translation.decodeReply(
      JSON.stringify({
        candidates: [
          {
            content: { parts: [{ functionCall: { name: 'f', args: {} } }] },
            finishReason: 'UNEXPECTED_TOOL_CALL',
          },
        ],
      }),
      upstream,
    )
    expect(events.at(-1)).toMatchObject({ finishes: [{ reason: 'malformed-call' }] })
    expect(toClient('chat-completions', events, false)).toContain('"finish_reason":"stop"')
    expect(toClient('messages', events, false)).toContain('"stop_reason":"end_turn"')
    expect(toClient('messages', events, false)).not.toContain('"stop_reason":"tool_use"')
  })

  test('a tool that a search has found keeps one name', () => {
    const found = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }
    const request = decode('responses', {
      model: 'm',
      input: [
        { role: 'user', content: 'hi' },
        { type: 'tool_search_output', call_id: 's', status: 'completed', tools: [found] },
        { type: 'function_call', call_id: 'c', name: 'f', namespace: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'ok' },
      ],
    })
    expect(request.tools).toMatchObject([{ type: 'function', name: 'f' }])
    const call = request.turns
      .flatMap(({ parts }) => parts)
      .find(({ type }) => type === 'tool-call')
    expect(call).toMatchObject({ name: 'f', namespace: undefined })
  })
})

describe('tools that are offered and withdrawn in a messages conversation', () => {
  const tool = (name: string) => ({ name, input_schema: { type: 'object' } })
  const reference = (name: string) => ({ type: 'tool_reference', name })
  const body = (changes: object[], role = 'system') => ({
    model: 'm',
    max_tokens: 9,
    tools: [tool('a'), tool('b')],
    messages: [
      { role: 'user', content: 'hi' },
      { role, content: changes },
      { role: 'user', content: 'go on' },
    ],
  })
  const rows: [name: string, changes: object[], names: string[]][] = [
    [
      'a reference to a declared tool',
      [{ type: 'tool_addition', tool: reference('b') }],
      ['a', 'b'],
    ],
    ['a withdrawn tool', [{ type: 'tool_removal', tool: reference('b') }], ['a']],
    [
      'a restored tool',
      [
        { type: 'tool_removal', tool: reference('b') },
        { type: 'tool_addition', tool: reference('b') },
      ],
      ['a', 'b'],
    ],
    [
      'a tool defined inline',
      [{ type: 'tool_addition', tool: { type: 'tool_definition', definition: tool('c') } }],
      ['a', 'b', 'c'],
    ],
  ]
  test.each(rows)('%s', (_, changes, names) => {
    for (const role of ['system', 'user']) {
      const request = decode('messages', body(changes, role))
      expect(request.tools.map((each) => each.name)).toEqual(names)
      for (const to of protocolNames) expect(written(request, to).text).toContain('go on')
    }
  })

  test('a hosted tool defined inline is a feature with a price', () => {
    const definition = { type: 'web_search_20250305', name: 'web_search' }
    const text = JSON.stringify(
      body([{ type: 'tool_addition', tool: { type: 'tool_definition', definition } }]),
    )
    const value = parseJson(text)
    const scan = scanJson(text, 64)
    if (!isObject(value) || !scan.ok) throw new Error('the request has no body')
    const path = { model: undefined, isStream: undefined, framing: 'sse' } as const
    const json = { text, value, members: scan.members }
    const facts = protocols.messages.passThrough.decodeFacts(json, path)
    expect(JSON.stringify(facts.features)).toContain('webSearch')
  })
})
