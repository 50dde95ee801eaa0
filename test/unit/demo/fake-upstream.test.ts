import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { readSse } from './read-sse.ts'
import { dig } from './spoken-protocol.ts'

const chat = { model: 'm', messages: [{ role: 'user', content: 'Grüße an 世界' }] }
const chatStream = { ...chat, stream: true, stream_options: { include_usage: true } }

let fake: FakeUpstream
beforeAll(async () => {
  fake = await startFakeUpstream()
})
afterEach(() => fake.reset())
afterAll(() => fake.stop())

function post(body: unknown, signal?: AbortSignal, path = '/v1/chat/completions') {
  return fetch(`${fake.url}${path}`, {
    method: 'POST',
    headers: { 'x-mark': 'seen' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
}

describe('the recorded request has', () => {
  test('method, path with query, headers and body, in order', async () => {
    await post(chat, undefined, '/v1/chat/completions?one=1')
    await fetch(`${fake.url}/v1/models`)
    const [first, second] = fake.requests
    expect(first).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions?one=1',
      aborted: false,
    })
    expect(first?.headers['x-mark']).toBe('seen')
    expect(JSON.parse(first?.body ?? '')).toEqual(chat)
    expect(second).toMatchObject({ method: 'GET', path: '/v1/models', body: '' })
  })
})

describe('the script', () => {
  test('next applies once, a rule applies until reset, the newest rule first', async () => {
    fake.script({ path: '/v1/chat/completions' }, { kind: 'status', status: 500 })
    fake.script({ bodyIncludes: 'Grüße' }, { kind: 'status', status: 529 })
    fake.script('next', { kind: 'status', status: 429 })
    const statuses = [(await post(chat)).status, (await post(chat)).status, (await post({})).status]
    fake.reset()
    expect([...statuses, (await post(chat)).status]).toEqual([429, 529, 500, 200])
  })

  const statusBodies = [
    { path: '/v1/chat/completions', member: ['error', 'code'], word: 'rate_limit_exceeded' },
    { path: '/v1/messages', member: ['error', 'type'], word: 'rate_limit_error' },
    {
      path: '/v1beta/models/m:generateContent',
      member: ['error', 'status'],
      word: 'RESOURCE_EXHAUSTED',
    },
  ] as const
  test.each(statusBodies)(
    'an error status has the format of $path',
    async ({ path, member, word }) => {
      fake.script('next', { kind: 'status', status: 429, retryAfterSeconds: 3 })
      const response = await post(chat, undefined, path)
      expect(response.headers.get('retry-after')).toBe('3')
      expect(dig(await response.json(), ...member)).toBe(word)
    },
  )

  test('a reply is sent unchanged', async () => {
    const body = new Uint8Array([0, 255, 10])
    fake.script('next', { kind: 'reply', status: 418, headers: { 'x-own': 'yes' }, body })
    const response = await post(chat)
    expect([response.status, response.headers.get('x-own')]).toEqual([418, 'yes'])
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(body)
  })
})

describe('usage', () => {
  const usage = { prompt_tokens: 1e9, completion_tokens: -4, total_tokens: 0 }

  test('a false report replaces it, in a reply and in a stream', async () => {
    fake.script({}, { kind: 'lie-usage', usage })
    expect(dig(await (await post(chat)).json(), 'usage')).toEqual(usage)
    const events = await readSse(await post(chatStream))
    expect(dig(events.at(-2)?.data, 'usage')).toEqual(usage)
    expect(dig(events.at(-3)?.data, 'usage')).toBeNull()
  })

  test('no-usage reports no usage although it was requested', async () => {
    fake.script({}, { kind: 'no-usage' })
    expect(await (await post(chat)).json()).not.toHaveProperty('usage')
    const events = await readSse(await post(chatStream))
    expect(events.filter(({ data }) => (dig(data, 'usage') ?? null) !== null)).toEqual([])
    expect(events.at(-1)?.data).toBe('[DONE]')
  })
})

describe('broken connections', () => {
  const frames = ['data: {"one":1}\n\n', 'data: {"two":2}\n\n']

  test('split changes no byte', async () => {
    const whole = await (await post(chatStream)).text()
    fake.script('next', { kind: 'split', bytesPerWrite: 1 })
    expect(await (await post(chatStream)).text()).toBe(whole)
  })

  const broken: readonly { readonly name: string; readonly behaviour: Behaviour }[] = [
    { name: 'reset', behaviour: { kind: 'reset' } },
    { name: 'cut', behaviour: { kind: 'events', events: frames, end: 'cut' } },
  ]
  test.each(broken)('$name ends in an error, never in a clean end', async ({ behaviour }) => {
    fake.script('next', behaviour)
    const read = post(chat).then((response) => response.text())
    expect(await read.catch((error: unknown) => error)).toBeInstanceOf(Error)
  })

  test('a clean end is clean', async () => {
    fake.script('next', { kind: 'events', events: frames, end: 'clean' })
    expect(await (await post(chat)).text()).toBe(frames.join(''))
  })

  test('an event waits for its gate, the headers do not', async () => {
    const gate = Promise.withResolvers<void>()
    const gates = [undefined, gate.promise]
    fake.script('next', { kind: 'events', events: frames, end: 'clean', gates })
    const reader = (await post(chat)).body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe(frames[0])
    gate.resolve()
    expect((await reader?.read())?.value).toBe(frames[1])
    expect((await reader?.read())?.done).toBe(true)
  })

  const stalls: readonly { readonly name: string; readonly behaviour: Behaviour }[] = [
    { name: 'before the headers', behaviour: { kind: 'stall-before-headers' } },
    { name: 'after events', behaviour: { kind: 'events', events: frames, end: 'stall' } },
    {
      name: 'at a closed gate',
      behaviour: { kind: 'events', events: frames, end: 'clean', gates: [new Promise(() => {})] },
    },
  ]
  test.each(stalls)(
    'a stall $name lasts until the client disconnects, which is noticed',
    async ({ behaviour }) => {
      fake.script('next', behaviour)
      const gone = new AbortController()
      const read = post(chat, gone.signal).then((response) => response.text())
      const outcome = read.catch((error: unknown) => error)
      const request = await fake.whenRequested(1)
      expect(request.aborted).toBe(false)
      expect(fake.openConnections).toBeGreaterThan(0)
      gone.abort()
      await request.whenAborted
      expect(request.aborted).toBe(true)
      expect(await outcome).toBeInstanceOf(Error)
    },
  )
})
