import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ModelListing } from '../../../src/core/neutral/model-listing.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { isObject, type JsonObject, stringAt } from '../../../src/wire/json.ts'

function listing(id: string): ModelListing {
  return {
    id,
    displayName: id.toUpperCase(),
    ownedBy: 'me',
    createdAtMs: 1_700_000_000_999,
    contextTokens: 1_000,
    maxOutputTokens: 100,
  }
}

function models(count: number): ModelListing[] {
  return Array.from({ length: count }, (_, index) => listing(`m${String(index).padStart(4, '0')}`))
}

function list(name: keyof typeof protocols, all: readonly ModelListing[], query = ''): JsonObject {
  return protocols[name].encodeModelList({ models: all, query: new URLSearchParams(query) })
}

function idsIn(body: JsonObject, member: string, name: string): string[] {
  const entries = body[member]
  if (!Array.isArray(entries)) throw new Error(`${member} is not a list`)
  return entries.map((each) => (isObject(each) ? String(each[name]) : ''))
}

describe('model lists', () => {
  test.each(['chat-completions', 'responses'] as const)(
    '%s: all models, OpenAI’s shape',
    (name) => {
      expect(list(name, [listing('a')])).toEqual({
        object: 'list',
        data: [{ id: 'a', object: 'model', created: 1_700_000_000, owned_by: 'me' }],
      })
      expect(idsIn(list(name, models(500)), 'data', 'id')).toHaveLength(500)
      expect(list(name, [])).toEqual({ object: 'list', data: [] })
    },
  )

  test('messages: one model', () => {
    expect(protocols.messages.encodeModel({ ...listing('a'), contextTokens: undefined })).toEqual({
      type: 'model',
      id: 'a',
      display_name: 'A',
      created_at: '2023-11-14T22:13:20.999Z',
      lifecycle: 'active',
      deprecated_at: null,
      retires_at: null,
      line: null,
      capabilities: null,
      max_input_tokens: null,
      max_tokens: 100,
    })
  })

  const stages: [query: string, count: number][] = [
    ['lifecycle=active', 3],
    ['lifecycle=retired&lifecycle=active', 3],
    ['lifecycle[]=deprecated&lifecycle[]=retired', 0],
    ['lifecycle=retired', 0],
  ]
  test.each(stages)('messages: of the stages %s', (query, count) => {
    const body = list('messages', models(3), query)
    expect(idsIn(body, 'data', 'id')).toHaveLength(count)
    if (count === 0) expect(body).toMatchObject({ first_id: null, last_id: null, has_more: false })
  })

  test('generate-content: one model', () => {
    const { contextTokens: _, ...plain } = listing('a')
    const encoded = protocols['generate-content'].encodeModel({
      ...plain,
      contextTokens: undefined,
    })
    expect(encoded).toMatchObject({ name: 'models/a', baseModelId: 'a', outputTokenLimit: 100 })
    expect(encoded).not.toHaveProperty('inputTokenLimit')
  })

  type Page = [query: string, first: string | null, last: string | null, hasMore: boolean]
  const pages: Page[] = [
    ['', 'm0000', 'm0019', true],
    ['limit=5', 'm0000', 'm0004', true],
    ['limit=30', 'm0000', 'm0029', false],
    ['limit=1000', 'm0000', 'm0029', false],
    ['limit=5&after_id=m0004', 'm0005', 'm0009', true],
    ['limit=5&after_id=m0024', 'm0025', 'm0029', false],
    ['after_id=m0029', null, null, false],
    ['limit=5&before_id=m0010', 'm0005', 'm0009', true],
    ['limit=5&before_id=m0003', 'm0000', 'm0002', false],
    ['before_id=m0000', null, null, false],
    // A model that was deleted since: the page continues at its position, and not from the start.
    ['limit=5&after_id=m0004x', 'm0005', 'm0009', true],
    ['limit=5&after_id=zzz', null, null, false],
    ['limit=5&before_id=m0004x', 'm0000', 'm0004', false],
  ]
  test.each(pages)('messages, 30 models, ?%s', (query, first, last, hasMore) => {
    const body = list('messages', models(30), query)
    expect(body).toMatchObject({ first_id: first, last_id: last, has_more: hasMore })
    const ids = idsIn(body, 'data', 'id')
    expect([ids.at(0) ?? null, ids.at(-1) ?? null]).toEqual([first, last])
  })

  test.each(['0', '-1', '1001', '1.5', 'ten', ''])('messages: limit=%j is refused', (limit) => {
    expect(() => list('messages', models(3), `limit=${limit}`)).toThrow(/"limit"/)
  })

  test.each(['-1', '1.5', 'ten'])('generate-content: pageSize=%j is refused', (size) => {
    expect(() => list('generate-content', models(3), `pageSize=${size}`)).toThrow(/"pageSize"/)
  })

  test('generate-content: sizes', () => {
    const sizeOf = (query: string) =>
      idsIn(list('generate-content', models(1_200), query), 'models', 'name').length
    expect(['', 'pageSize=', 'pageSize=0', 'pageSize=7', 'pageSize=5000'].map(sizeOf)).toEqual([
      50, 50, 50, 7, 1_000,
    ])
  })

  test('generate-content: a page token of a deleted model continues at its position', () => {
    const names = idsIn(list('generate-content', models(5), 'pageToken=m0001x'), 'models', 'name')
    expect(names).toEqual(['models/m0002', 'models/m0003', 'models/m0004'])
    expect(list('generate-content', models(5), 'pageToken=zzz')).toEqual({ models: [] })
  })

  test('page by page every model occurs once, in order, in both formats', () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.integer({ min: 1, max: 15 }), (count, size) => {
        const all = models(count)
        const expected = all.map((each) => each.id)
        expect(walkMessages(all, size)).toEqual(expected)
        expect(walkGenerateContent(all, size)).toEqual(expected.map((id) => `models/${id}`))
      }),
    )
  })
})

function textIn(body: JsonObject, name: string): string {
  return stringAt(body, name) ?? ''
}

function walkMessages(all: readonly ModelListing[], limit: number): string[] {
  const seen: string[] = []
  for (let query = `limit=${limit}`; ; ) {
    const body = list('messages', all, query)
    seen.push(...idsIn(body, 'data', 'id'))
    if (body['has_more'] !== true) return seen
    query = `limit=${limit}&after_id=${textIn(body, 'last_id')}`
  }
}

function walkGenerateContent(all: readonly ModelListing[], size: number): string[] {
  const seen: string[] = []
  for (let query = `pageSize=${size}`; ; ) {
    const body = list('generate-content', all, query)
    seen.push(...idsIn(body, 'models', 'name'))
    if (body['nextPageToken'] === undefined) return seen
    query = `pageSize=${size}&pageToken=${textIn(body, 'nextPageToken')}`
  }
}
