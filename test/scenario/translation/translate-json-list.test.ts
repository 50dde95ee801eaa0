import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../src/wire/json.ts'
import type { EventsBehaviour } from '../../support/fake-upstream/behaviour.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { viaModel, windowless } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import {
  dig,
  greeting,
  greetingText,
  list,
  type TestProtocol,
} from '../../support/protocols/test-protocol.ts'
import { allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const { client } = testProtocols['generate-content']

function listPath(model: string, query = ''): string {
  return `/v1beta/models/${model}:streamGenerateContent${query}`
}

function question(to: TestProtocol, query = '') {
  const model = viaModel(to.name)
  return { key: 'any', path: listPath(model, query), body: client.body(model, true) } as const
}

function script(to: TestProtocol, behaviour: Partial<EventsBehaviour> = {}) {
  const events = to.upstream.events(greeting)
  gateway().one.script('next', { kind: 'events', events, end: 'clean', ...behaviour })
}

function readList(text: string): { data: unknown; event: undefined }[] {
  const value = parseJson(text)
  expect(value).toBeArray()
  return list(value).map((data) => ({ data, event: undefined }))
}

describe('without alt=sse a stream is one JSON list', () => {
  test.each(allProtocols)('over $name', async (to) => {
    const { ask, one, money } = gateway()
    script(to)
    const reply = await ask(question(to))
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('application/json')
    const chunks = readList(reply.text)
    expect(chunks.length).toBeGreaterThan(2)
    expect(client.streamedText(chunks)).toBe(greetingText)
    expect(client.countEnds(chunks)).toBe(1)
    expect(client.countEnds(chunks.slice(-1))).toBe(1)
    expect(client.streamedUsage(chunks)).toMatchObject(testProtocols['generate-content'].usage)
    // The upstream is asked for events nevertheless.
    expect(one.requests[0]?.path).toBe(to.upstream.path(viaModel(to.name), true))
    expect(await money.usageRow(reply.requestId)).toMatchObject({
      protocol: 'generate-content',
      stream: 1,
      cost_nano: 4_000_000n,
    })
  })

  test.each(allProtocols)('over $name it is written as it arrives', async (to) => {
    const { open } = gateway()
    const gate = Promise.withResolvers<void>()
    const length = to.upstream.events(greeting).length
    const gates = Array.from({ length }, (_, index) =>
      index === length - to.upstream.tailLength ? gate.promise : undefined,
    )
    script(to, { gates })
    const stream = readStream(await open(question(to)))
    const begun = await stream.readUntil('Łódź')
    expect(begun).toStartWith('[')
    expect(begun).not.toContain('finishReason')
    gate.resolve()
    expect(client.streamedText(readList(await stream.readAll()))).toBe(greetingText)
  })

  test.each(allProtocols)('over $name a silence is bridged by white space', async (to) => {
    const { open, clock } = gateway()
    const gate = Promise.withResolvers<void>()
    const length = to.upstream.events(greeting).length
    const gates = Array.from({ length }, (_, index) =>
      index === length - to.upstream.tailLength ? gate.promise : undefined,
    )
    script(to, { gates })
    const stream = readStream(await open(question(to)))
    const before = await stream.readUntil('Łódź')
    clock.passTime(16_000)
    let seen = before
    while (!/\n\s*$/.test(seen.slice(before.length))) seen = await stream.readMore()
    expect(
      seen
        .slice(before.length)
        .trim()
        .replace(/^[\]}\s"]*/, ''),
    ).toBe('')
    gate.resolve()
    const chunks = readList(await stream.readAll())
    expect(client.countEnds(chunks)).toBe(1)
  })

  const breaks: { name: string; after: (to: TestProtocol) => string; reason: string }[] = [
    { name: 'ends early', after: () => '', reason: 'upstream_error' },
    {
      name: 'contains an error',
      after: (to) => to.upstream.faultEvent(429, 'Slow down.'),
      reason: 'upstream_rejected',
    },
  ]
  for (const { name, after, reason } of breaks) {
    test.each(allProtocols)(`over $name one that ${name} is still a list`, async (to) => {
      const { open, money } = gateway()
      const events = to.upstream.events(greeting).slice(0, -to.upstream.tailLength)
      const gate = Promise.withResolvers<void>()
      const gates = [...events.map(() => undefined), gate.promise]
      script(to, { events: [...events, after(to)], gates })
      const stream = readStream(await open(question(to)))
      await stream.readUntil('Łódź')
      gate.resolve()
      const chunks = readList(await stream.readAll())
      expect(client.streamedText(chunks)).toBe(greetingText)
      expect(client.countEnds(chunks)).toBe(0)
      expect(client.streamedFault(chunks)).toMatchObject({ reason })
      expect(await money.usageRow(stream.requestId)).toMatchObject({ reason })
    })
  }

  test.each(allProtocols)(
    'over $name an error before it has begun is a list of one',
    async (to) => {
      const { ask, one } = gateway()
      one.script('next', { kind: 'status', status: 429, message: 'Slow down.' })
      const reply = await ask(question(to))
      expect(reply.status).toBe(429)
      const chunks = readList(reply.text)
      expect(chunks).toHaveLength(1)
      expect(client.readFault(chunks[0]?.data)).toMatchObject({
        word: 'RESOURCE_EXHAUSTED',
        message: 'Slow down.',
      })
    },
  )

  test('refusals are lists of one as well', async () => {
    const { ask } = gateway()
    const rows = [
      { status: 401, word: 'UNAUTHENTICATED', key: undefined, path: listPath('gpt-x') },
      { status: 403, word: 'PERMISSION_DENIED', key: 'suspended', path: listPath('gpt-x') },
      { status: 404, word: 'NOT_FOUND', key: 'any', path: listPath('no-such-model') },
      { status: 400, word: 'INVALID_ARGUMENT', key: 'any', path: listPath('via-chat'), body: {} },
    ] as const
    for (const { status, word, key, path, ...rest } of rows) {
      const body = 'body' in rest ? rest.body : client.body('', true)
      const reply = await ask({ key, path, body })
      expect(reply.status).toBe(status)
      expect(client.readFault(readList(reply.text)[0]?.data)).toMatchObject({ word })
      const asEvents = await ask({ key, path: `${path}?alt=sse`, body })
      expect(client.readFault(asEvents.json)).toMatchObject({ word })
    }
  })
})

describe('the query', () => {
  const to = testProtocols.messages
  test.each(['?alt=sse', '?alt=sse&prettyPrint=false', '?x=1&alt=sse'])(
    '%s asks for events',
    async (query) => {
      script(to)
      const reply = await gateway().ask(question(to, query))
      expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
      expect(reply.text).toStartWith('data: {')
    },
  )

  test.each(['', '?alt=json', '?alt=', '?$alt=json;enum-encoding=int'])(
    '%s asks for a list',
    async (query) => {
      script(to)
      const reply = await gateway().ask(question(to, query))
      expect(client.streamedText(readList(reply.text))).toBe(greetingText)
    },
  )

  test.each(allProtocols)('?key= is a key, and is not forwarded: over $name', async (to) => {
    const { ask, one, keys, logLines } = gateway()
    script(to)
    const { path, body } = question(to, `?alt=sse&key=${keys.any}`)
    const reply = await ask({ path, body })
    expect(reply.status).toBe(200)
    const [sent] = one.requests
    expect(JSON.stringify(sent)).not.toContain(keys.any)
    expect(sent?.path).not.toContain('key=')
    expect(logLines.join('')).not.toContain('key=')
  })

  test('an invalid ?key= is rejected, and not repeated in the error', async () => {
    const { ask, one } = gateway()
    const { path, body } = question(to, '?key=sk-nobody-at-all')
    const reply = await ask({ path, body })
    expect(reply.status).toBe(401)
    expect(reply.text).not.toContain('sk-nobody-at-all')
    expect(one.requests).toHaveLength(0)
  })

  test('two different keys are refused', async () => {
    const { ask, keys } = gateway()
    const { path, body } = question(to, `?key=${keys.plain}`)
    expect((await ask({ key: 'any', path, body })).status).toBe(401)
    const headers = { 'x-goog-api-key': keys.plain }
    expect((await ask({ key: 'any', path: question(to).path, headers, body })).status).toBe(401)
  })
})

describe('the model in the path', () => {
  const spellings = [
    windowless,
    encodeURIComponent(windowless),
    windowless.replace('/', '%2f'),
    windowless.replace(':', '%3A'),
    windowless.replace('open', '%6fpen'),
  ]
  test.each(spellings)('%s is found', async (spelling) => {
    const { ask, two, money } = gateway()
    two.script('next', { kind: 'demo' })
    const path = `/v1beta/models/${spelling}:generateContent`
    const reply = await ask({ key: 'premium', path, body: client.body('', false) })
    expect(reply.status).toBe(200)
    expect(dig(parseJson(two.requests[0]?.body ?? ''), 'model')).toBe(windowless)
    expect((await money.usageRow(reply.requestId)).model).toBe(windowless)
  })

  const unknown: [name: string, spelling: string, status: number][] = [
    ['a lone percent sign', '%', 400],
    ['an invalid percent sequence', '%zz', 400],
    ['a path to the parent folder', '..%2f..', 400],
    ['a null character', '%00', 400],
    ['half of a character', '%F0%9F', 404],
    ['a quote', '%22%3E', 404],
    ['a long name', 'a'.repeat(3_000), 404],
  ]
  test.each(unknown)('%s is not found', async (_, spelling, status) => {
    const { ask, one, two } = gateway()
    const path = `/v1beta/models/${spelling}:generateContent`
    const reply = await ask({ key: 'premium', path, body: client.body('', false) })
    expect(reply.status).toBe(status)
    const word = status === 400 ? 'INVALID_ARGUMENT' : 'NOT_FOUND'
    expect(client.readFault(reply.json)).toMatchObject({ word })
    expect(reply.text.length).toBeLessThan(1_500)
    expect([...one.requests, ...two.requests]).toEqual([])
  })
})

describe('an action that does not exist', () => {
  const actions = ['embedContent', 'batchEmbedContents', 'predict', 'generatecontent', 'x', '']
  test.each(actions)('%s', async (action) => {
    const { ask, one, money } = gateway()
    const before = await money.counts()
    const path = `/v1beta/models/${viaModel('messages')}:${action}`
    const reply = await ask({ key: 'any', path, body: client.body('', false) })
    expect(reply.status).toBe(404)
    expect(client.readFault(reply.json)).toMatchObject({ word: 'NOT_FOUND', reason: 'not_found' })
    expect(one.requests).toHaveLength(0)
    expect((await money.counts()).entries).toBe(before.entries)
  })

  test.each(['generateContent', 'streamGenerateContent', 'countTokens'])(
    '%s by another method',
    async (action) => {
      const { ask } = gateway()
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
        const path = `/v1beta/models/${viaModel('messages')}:${action}`
        const reply = await ask({ key: 'any', path, method })
        expect(reply.status).toBe(405)
        expect(reply.headers.get('allow')).toBe('POST')
      }
    },
  )
})
