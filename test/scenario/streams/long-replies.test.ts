import { describe, expect, spyOn, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { turns } from '../../../src/core/runtime/turns.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import type { ScriptedReply } from '../../support/protocols/test-protocol.ts'
import {
  allPairs,
  allProtocols,
  type Pair,
  sidePairs,
} from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()

/**
 * Longer than the longest text that a translation reads itself, a megabyte, with all characters that are difficult in
 * JSON and streams.
 */
const longText = `Grüße, 世界 🌍 \u2028\u0085 "quoted" \\ \n\t\u0001 ${'Łódź 文字 🌍 " \\ \n'.repeat(48_000)}end`
const saying = (text: string): ScriptedReply => ({ pieces: [text] })

/** The upstream's answers in its own protocol, created once for all tests. */
const made = new Map<string, string>()
function once(key: string, make: () => string): string {
  const text = made.get(key) ?? make()
  made.set(key, text)
  return text
}

const longReply = ({ to }: Pair) =>
  once(`${to.name} whole`, () => JSON.stringify(to.upstream.reply(saying(longText))))

const costNano = 4_000_000n

async function ask({ from, to }: Pair, isStream: boolean) {
  const { ask: send, keys } = gateway()
  const model = viaModel(to.name)
  return send({
    path: from.client.path(model, isStream),
    headers: from.client.keyHeaders(keys.any),
    body: from.client.body(model, isStream),
  })
}

const whole = (body: string) =>
  ({ kind: 'reply', headers: { 'content-type': 'application/json' }, body }) as const

/** The number of turns that the work of a request took. */
async function countTurns<Done>(work: () => Promise<Done>): Promise<[Done, number]> {
  const spy = spyOn(turns, 'next')
  try {
    const done = await work()
    return [done, spy.mock.calls.length]
  } finally {
    spy.mockRestore()
  }
}

describe('a text of more than a megabyte arrives unchanged, and the reported usage is charged', () => {
  test.each(allPairs)('not streamed, $pair', async (pair) => {
    const { from, to } = pair
    const { one, money } = gateway()
    const sent = longReply(pair)
    one.script('next', whole(sent))
    const [reply, turnsTaken] = await countTurns(() => ask(pair, false))
    expect(reply.status).toBe(200)
    if (from === to) expect(reply.text).toBe(sent)
    expect(from.client.textOf(reply.json)).toBe(longText)
    expect(from.client.usageOf(reply.json)).toMatchObject(from.usage)
    expect(turnsTaken).toBeGreaterThan(3)
    expect(await money.entry(reply.requestId)).toMatchObject({
      cost_nano: costNano,
      usage_source: 'upstream',
    })
  })

  test.each(allPairs)('as one event, $pair', async (pair) => {
    const { from, to } = pair
    const { one, money } = gateway()
    const events = to.upstream.events(saying(longText))
    one.script('next', { kind: 'events', events, end: 'clean' })
    const [reply, turnsTaken] = await countTurns(() => ask(pair, true))
    expect(reply.status).toBe(200)
    // On a busy machine the client gets keep-alive comments.
    const text = reply.text.replaceAll(': keep-alive\n\n', '')
    if (from === to) expect(text).toBe(events.join(''))
    const told = readEvents(reply.text)
    expect(from.client.streamedFault(told)).toBeUndefined()
    expect(from.client.streamedText(told)).toBe(longText)
    expect(from.client.countEnds(told)).toBe(1)
    expect(from.client.streamedUsage(told)).toMatchObject(from.usage)
    expect(turnsTaken).toBeGreaterThan(3)
    expect(await money.entry(reply.requestId)).toMatchObject({
      cost_nano: costNano,
      usage_source: 'upstream',
    })
  })

  // How a letter is spelled is forgotten between reading and writing.
  test.each(sidePairs)('escaped beyond ASCII, $pair', async (pair) => {
    const { from, to } = pair
    const { one } = gateway()
    const escaped = once(`${to.name} escaped`, () =>
      longReply(pair).replace(
        /[\u0080-\uffff]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    )
    one.script('next', whole(escaped))
    const reply = await ask(pair, false)
    expect(reply.status).toBe(200)
    expect(from.client.textOf(reply.json)).toBe(longText)
  })

  test.each(allPairs)('without usage it is estimated, $pair', async (pair) => {
    const { one, money } = gateway()
    const said = { ...saying('many words '.repeat(100_000)), hasUsage: false }
    const sent = once(`${pair.to.name} without usage`, () =>
      JSON.stringify(pair.to.upstream.reply(said)),
    )
    one.script('next', whole(sent))
    const reply = await ask(pair, false)
    expect(reply.status).toBe(200)
    const entry = await money.entry(reply.requestId)
    expect(entry).toMatchObject({ usage_source: 'estimated' })
    expect(Number(entry?.['output_tokens'])).toBeGreaterThan(900)
  })
})

describe('an image', () => {
  const data = `iVBORw0KGgo${'AbCd+/12'.repeat(200_000)}A`
  const image = (name: string): object | undefined => {
    switch (name) {
      case 'chat-completions': {
        const url = `data:image/png;base64,${data}`
        const images = [{ type: 'image_url', image_url: { url } }]
        const message = { role: 'assistant', content: 'here', images }
        return { choices: [{ index: 0, message, finish_reason: 'stop' }] }
      }
      case 'responses':
        return {
          id: 'resp_1',
          status: 'completed',
          output: [{ type: 'image_generation_call', id: 'ig', status: 'completed', result: data }],
        }
      case 'generate-content': {
        const parts = [{ inlineData: { mimeType: 'image/png', data } }]
        return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
      }
      default:
        return undefined
    }
  }

  test.each(allPairs.filter(({ from, to }) => image(to.name) && from.name !== 'messages'))(
    'of a megabyte arrives, $pair',
    async (pair) => {
      const { one } = gateway()
      one.script('next', whole(JSON.stringify(image(pair.to.name))))
      const reply = await ask(pair, false)
      expect(reply.status).toBe(200)
      expect(reply.text.split(data)).toHaveLength(2)
    },
  )
})

describe('a short reply that causes much work', () => {
  const beside = (reply: object, inner: string) =>
    `${JSON.stringify(reply).slice(0, -1)},"x":${inner}}`
  // The limit is 200,000.
  const names = `{${Array.from({ length: 205_000 }, (_, index) => `"k${index}":1`).join()}}`
  const shapes: [string, string][] = [
    ['205,000 names', names],
    ['205,000 items', `[${'1,'.repeat(205_000)}1]`],
    ['200,000 levels', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['a member of 9 MB', `[${'"abcdefghij",'.repeat(700_000)}1]`],
  ]
  const pairs = allPairs.filter(({ from }) => from.name === 'messages')

  for (const [name, inner] of shapes) {
    test.each(pairs)(`whole, ${name}: 502 without a charge, $pair`, async (pair) => {
      const { one, money } = gateway()
      const before = await money.counts()
      one.script({}, whole(beside(pair.to.upstream.reply(saying('hi')), inner)))
      const [reply, turnsTaken] = await countTurns(() => ask(pair, false))
      expect(reply.status).toBe(502)
      expect(turnsTaken).toBeGreaterThan(3)
      expect((await money.counts()).rows).toBe(before.rows + 1)
      expect(await money.usageRow(reply.requestId)).toMatchObject({ cost_nano: 0n })
    })
  }

  test.each(allProtocols)('as one event of $name: the stream fails', async (protocol) => {
    const { one } = gateway()
    const events = [
      `data: {"type":"ping","x":${names}}\n\n`,
      ...protocol.upstream.events(saying('hi')),
    ]
    one.script({}, { kind: 'events', events, end: 'clean' })
    const reply = await ask({ from: protocol, to: protocol, pair: '' }, true)
    // Whether the headers were sent by then depends on the machine.
    const fault = protocol.client.streamedFault(readEvents(reply.text))
    expect(reply.status === 502 || fault !== undefined).toBe(true)
    expect(reply.text).not.toContain('k204999')
  })

  const failures: Readonly<Record<string, (message: string) => object>> = {
    'chat-completions': (message) => ({ error: { message, type: 'server_error', code: null } }),
    responses: (message) => ({ error: { message, type: 'server_error', code: null } }),
    messages: (message) => ({ type: 'error', error: { type: 'api_error', message } }),
    'generate-content': (message) => ({ error: { code: 500, message, status: 'INTERNAL' } }),
  }
  const lengths = [10, 200_000, 1_300_000]
  const failing = allPairs.flatMap((pair) =>
    lengths.map((length) => [length, pair.pair, pair] as const),
  )
  test.each(failing)('an error of %i characters with status 200, %s', async (length, _, pair) => {
    const { one, money } = gateway()
    const failure = failures[pair.to.name]?.(`sk-secret ${'x'.repeat(length)}`)
    one.script({}, whole(JSON.stringify(failure)))
    const reply = await ask(pair, false)
    expect(reply.status).toBeGreaterThanOrEqual(400)
    expect(reply.text.length).toBeLessThan(100_000)
    expect(await money.usageRow(reply.requestId)).toMatchObject({ cost_nano: 0n })
  })

  test.each(pairs)('3,000 calls are delivered one by one, $pair', async (pair) => {
    const { one } = gateway()
    const reply = callsOf(pair.to.name, 3_000)
    one.script('next', whole(JSON.stringify(reply)))
    const answer = await ask(pair, false)
    expect(answer.status).toBe(200)
    expect(new Set(pair.from.client.callIds(answer.json)).size).toBe(3_000)
  })
})

function callsOf(name: string, count: number): object {
  const each = <Item>(make: (index: number) => Item) =>
    Array.from({ length: count }, (_, i) => make(i))
  switch (name) {
    case 'chat-completions': {
      const call = { name: 'look_up', arguments: '{"city":"a"}' }
      const tool_calls = each((index) => ({
        index,
        id: `c${index}`,
        type: 'function',
        function: call,
      }))
      const message = { role: 'assistant', content: null, tool_calls }
      return { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    }
    case 'responses': {
      const call = { type: 'function_call', name: 'look_up', arguments: '{"city":"a"}' }
      const output = each((index) => ({ ...call, id: `f${index}`, call_id: `c${index}` }))
      return { id: 'resp_1', status: 'completed', output }
    }
    case 'messages': {
      const call = { type: 'tool_use', name: 'look_up', input: {} }
      const content = each((index) => ({ ...call, id: `c${index}` }))
      return { id: 'm', type: 'message', role: 'assistant', content, stop_reason: 'tool_use' }
    }
    default: {
      const parts = each((index) => ({
        functionCall: { id: `c${index}`, name: 'look_up', args: {} },
      }))
      return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
    }
  }
}

describe('log probabilities of many tokens', () => {
  const token = { token: 'a', logprob: -0.1, bytes: [97] }
  const content = Array.from({ length: 5_000 }, () => ({
    ...token,
    top_logprobs: Array(20).fill(token),
  }))
  const message = { role: 'assistant', content: 'hi' }
  const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 }
  const reply = {
    choices: [{ index: 0, message, finish_reason: 'stop', logprobs: { content } }],
    usage,
  }
  const text = JSON.stringify(reply)
  const through = (name: string) =>
    allPairs.filter(({ from, to }) => from.name === name && to.name === 'chat-completions')

  test.each(through('chat-completions'))('are forwarded unchanged, $pair', async (pair) => {
    const { one } = gateway()
    one.script('next', whole(text))
    const answer = await ask(pair, false)
    expect(answer.text).toBe(text)
    expect(answer.headers.get('x-gateway-warnings')).toBeNull()
  })

  test.each(through('responses'))(
    'are left out of a translation, with a note, $pair',
    async (pair) => {
      const { one } = gateway()
      one.script('next', whole(text))
      const answer = await ask(pair, false)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-gateway-warnings')).toContain('logprobs_dropped')
      expect(pair.from.client.textOf(answer.json)).toBe('hi')
    },
  )
})

describe('log probabilities with many names', () => {
  const token = { token: 'a', logprob: -0.1, bytes: [97] }
  const to = 'chat-completions'
  const pairs = allPairs.filter(
    ({ from, to: upstream }) => upstream.name === to && from.name !== to,
  )
  // With 20 alternatives each; short ones may still be too much to translate.
  const counts = [100, 300, 400, 500, 550, 600, 700]
  const rows = pairs.flatMap((pair) => counts.map((count) => [count, pair.pair, pair] as const))

  test.each(rows)('of %i tokens do not fail the answer, %s', async (count, _, pair) => {
    const { one } = gateway()
    const content = Array.from({ length: count }, () => ({
      ...token,
      top_logprobs: Array(20).fill(token),
    }))
    const message = { role: 'assistant', content: 'hi' }
    const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: { content } }]
    one.script('next', whole(JSON.stringify({ choices })))
    const answer = await ask(pair, false)
    expect(answer.status).toBe(200)
    expect(pair.from.client.textOf(answer.json)).toBe('hi')
  })
})

describe('very many small items', () => {
  const chat = allPairs.filter(({ from, to }) => from === to || from.name === 'messages')

  test.each(chat)('120,000 events that arrive together are read in turns, $pair', async (pair) => {
    const { one } = gateway()
    const events = [': \n\n'.repeat(120_000), ...pair.to.upstream.events(saying('hello'))]
    one.script('next', { kind: 'events', events: [events.join('')], end: 'clean' })
    const [reply, turnsTaken] = await countTurns(() => ask(pair, true))
    const told = readEvents(reply.text)
    expect(pair.from.client.streamedText(told)).toBe('hello')
    expect(pair.from.client.countEnds(told)).toBe(1)
    expect(turnsTaken).toBeGreaterThan(100)
  })

  test.each(chat.filter(({ from, to }) => from !== to))(
    'a stream of more words than any model writes is an error, $pair',
    async (pair) => {
      const { one } = gateway()
      const pieces = Array.from({ length: 170 }, () => 'many words '.repeat(5_000))
      one.script('next', {
        kind: 'events',
        events: pair.to.upstream.events({ pieces }),
        end: 'clean',
      })
      const reply = await ask(pair, true)
      const told = readEvents(reply.text)
      expect(pair.from.client.streamedFault(told)).toBeDefined()
      expect(pair.from.client.countEnds(told)).toBe(0)
    },
  )

  test('an event of 300,000 lines is an error', async () => {
    const { one } = gateway()
    const events = [`${'data: 1\n'.repeat(300_000)}\n`]
    one.script({}, { kind: 'events', events, end: 'clean' })
    const [pair] = chat
    if (!pair) throw new Error('there are pairs')
    expect((await ask(pair, true)).status).toBe(502)
  })

  test('a compressed reply is limited by its decompressed size', async () => {
    const { one } = gateway()
    const body = gzipSync(`{"x":"${'a'.repeat(65 * 1024 * 1024)}"}`)
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    one.script({}, { kind: 'reply', headers, body })
    const [pair] = chat
    if (!pair) throw new Error('there are pairs')
    expect((await ask(pair, false)).status).toBe(502)
  })
})
