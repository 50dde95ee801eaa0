import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Model, Route } from '../../../src/catalog/catalog-snapshot.ts'
import { costOf, type Price } from '../../../src/core/money/price.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { boundInput, inputTokensAt } from '../../../src/gateway/admit/bound-input.ts'
import { openingTokens, tightTextTokens } from '../../../src/gateway/admit/bound-text.ts'
import { contextTokensOf } from '../../../src/gateway/admit/context-window.ts'
import { sizeHold } from '../../../src/gateway/admit/size-hold.ts'
import { judgeUsage } from '../../../src/gateway/charge/judge-usage.ts'
import { protocols } from '../../../src/protocols/index.ts'
import type { Candidate } from '../../../src/routing/route-set.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { readAtOnce } from '../../support/read-at-once.ts'
import { repeats } from '../../support/repeats.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'
const pdf = 'JVBERi0xLjQKJcOkw7zDtsOfCjIgMCBvYmoKPDwv'
const place = 'https://files.example/large'

/**
 * A part of a request, and the maximum number of tokens that a model may count for it: any number for content that only
 * the upstream sees.
 */
type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image' | 'address' | 'unseen'; readonly shape: number }

const pieces: fc.Arbitrary<Piece> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('text' as const),
      text: fc.string({ unit: anyCharacter, maxLength: 60 }),
    }),
  },
  { weight: 1, arbitrary: shaped('image') },
  { weight: 1, arbitrary: shaped('address') },
  { weight: 1, arbitrary: shaped('unseen') },
)

function shaped<Kind extends 'image' | 'address' | 'unseen'>(kind: Kind) {
  return fc.record({ kind: fc.constant(kind), shape: fc.nat({ max: 9 }) })
}

interface Dialect {
  text(text: string): unknown
  image(shape: number): unknown
  address(shape: number): unknown
  /** Content that only the upstream sees, inside a message. */
  readonly unseen: readonly unknown[]
  /** The same as members of the body. */
  readonly members: readonly JsonObject[]
  body(parts: readonly unknown[]): JsonObject
}

const dialects: Readonly<Record<ProtocolName, Dialect>> = {
  'chat-completions': {
    text: (text) => ({ type: 'text', text }),
    image: () => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }),
    address: (shape) => ({ type: 'image_url', image_url: shape % 2 ? place : { url: place } }),
    unseen: [
      { type: 'file', file: { file_id: 'file-1' } },
      { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      { type: 'video_url', video_url: { url: place } },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pdf}` } },
      { type: 'image_url', image_url: { url: 'gs://bucket/object' } },
      { type: 'of tomorrow', of_tomorrow: {} },
    ],
    members: [
      { web_search_options: {} },
      { tools: [{ type: 'web_search' }] },
      { plugins: [{ id: 'web' }] },
      { enable_search: true },
      { search_parameters: { mode: 'on' } },
      { file_ids: ['file-1'] },
      { conversation: 'conv_1' },
    ],
    body: (content) => ({ model: 'm', messages: [{ role: 'user', content }] }),
  },
  responses: {
    text: (text) => ({ type: 'input_text', text }),
    image: () => ({ type: 'input_image', image_url: `data:image/png;base64,${png}` }),
    address: () => ({ type: 'input_image', image_url: place }),
    unseen: [
      { type: 'input_file', file_id: 'file-1' },
      { type: 'input_file', file_url: place },
      { type: 'input_file', file_data: `data:application/pdf;base64,${pdf}` },
      { type: 'input_image', file_id: 'file-1' },
      { type: 'input_image', file_id: 'file-1', image_url: place },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      { type: 'of tomorrow' },
    ],
    members: [
      { previous_response_id: 'resp_1' },
      { conversation: 'conv_1' },
      { prompt: { id: 'pmpt_1' } },
      { tools: [{ type: 'web_search' }] },
      { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
      { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
      { tools: [{ type: 'mcp', server_url: place }] },
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'computer' }] }] },
      { input: [{ type: 'item_reference', id: 'msg_1' }] },
      { input: [{ id: 'msg_1' }] },
      { input: [{ type: 'web_search_call', id: 'ws_1' }] },
    ],
    body: (content) => ({ model: 'm', input: [{ role: 'user', content }] }),
  },
  messages: {
    text: (text) => ({ type: 'text', text }),
    image: (shape) => within(shape, { type: 'image', source: base64('image/png', png) }),
    address: (shape) => within(shape, { type: 'image', source: { type: 'url', url: place } }),
    unseen: [
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
      { type: 'document', source: { type: 'file', file_id: 'file_1' } },
      { type: 'document', source: { type: 'url', url: place } },
      { type: 'document', source: base64('application/pdf', pdf) },
      { type: 'image', source: base64('image/png', pdf) },
      { type: 'container_upload', file_id: 'file_1' },
      { type: 'web_search_tool_result', tool_use_id: 't', content: [] },
      {
        type: 'tool_result',
        tool_use_id: 't',
        content: [{ type: 'document', source: { type: 'url', url: place } }],
      },
    ],
    members: [
      { mcp_servers: [{ type: 'url', url: place, name: 'm' }] },
      { container: 'container_1' },
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
      { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
      { system: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] },
    ],
    body: (content) => ({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content }] }),
  },
  'generate-content': {
    text: (text) => ({ text }),
    image: (shape) => ({
      [shape % 2 ? 'inlineData' : 'inline_data']: { mimeType: 'image/png', data: png },
    }),
    // A URL in this protocol may refer to any type of file.
    address: (shape) => ({ [shape % 2 ? 'fileData' : 'file_data']: { fileUri: place } }),
    unseen: [
      { fileData: { fileUri: 'gs://bucket/object', mimeType: 'application/pdf' } },
      { inlineData: { mimeType: 'application/pdf', data: pdf } },
      { inline_data: { mime_type: 'audio/mp3', data: 'AAAA' } },
      { inlineData: { mimeType: 'image/png', data: pdf } },
      { functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: place } }] } },
      { function_response: { name: 'f', response: {}, parts: [{ inlineData: { data: pdf } }] } },
      { ofTomorrow: { id: 1 } },
    ],
    members: [
      { cachedContent: 'cachedContents/1' },
      { cached_content: 'cachedContents/1' },
      { tools: [{ googleSearch: {} }] },
      { tools: [{ google_search: {} }] },
      { tools: [{ urlContext: {} }] },
      { tools: { codeExecution: {} } },
      { tools: [{ functionDeclarations: [] }, { fileSearch: {} }] },
      { system_instruction: { parts: [{ fileData: { fileUri: place } }] } },
    ],
    body: (parts) => ({ contents: [{ role: 'user', parts }] }),
  },
}

function base64(mime: string, data: string): JsonObject {
  return { type: 'base64', media_type: mime, data }
}

/** A block by itself, or inside a tool result or a document. */
function within(shape: number, block: JsonObject): JsonObject {
  if (shape % 3 === 1) return { type: 'tool_result', tool_use_id: 't', content: [block] }
  if (shape % 3 === 2) return { type: 'document', source: { type: 'content', content: [block] } }
  return block
}

const price: Price = {
  versionId: 'p',
  inputNano: 2_500_000_000n,
  cacheReadNano: 250_000_000n,
  cacheWrite5mNano: 3_125_000_000n,
  cacheWrite1hNano: 5_000_000_000n,
  outputNano: 10_000_000_000n,
  requestNano: 1_000n,
}

/** Routes of vendors whose image cost is known, and of an unknown one. */
const routes = [
  { vendor: 'openai', upstreamModel: 'gpt-4o-mini', imageTokens: 48_169, addressTokens: 48_169 },
  { vendor: 'openai', upstreamModel: 'gpt-5', imageTokens: 1_190, addressTokens: 1_190 },
  {
    vendor: 'anthropic',
    upstreamModel: 'claude-opus-4-7',
    imageTokens: 4_784,
    addressTokens: 4_784,
  },
  {
    vendor: 'google',
    upstreamModel: 'gemini-2.5-pro',
    imageTokens: 4_128,
    addressTokens: Infinity,
  },
  {
    vendor: 'openai-compatible',
    upstreamModel: 'gpt-4o',
    imageTokens: 48_169,
    addressTokens: Infinity,
  },
] as const

const windows = fc.constantFrom(8_192, 128_000, 1_000_000, undefined)

function candidateOf(route: (typeof routes)[number], contextTokens: number | undefined): Candidate {
  const model = { id: 'm', contextTokens, maxOutputTokens: 4_096 } as Model
  const upstream = { id: 'u', vendor: route.vendor, baseUrl: 'http://127.0.0.1:1' }
  return {
    route: { upstream, upstreamModel: route.upstreamModel } as Route,
    group: { id: 'g', factorMicro: 1_500_000n },
    model,
    price,
  } as unknown as Candidate
}

/** The maximum count of any model: a token for each byte of text, a few around them, and the rest as declared. */
function mostTokens(
  list: readonly Piece[],
  route: (typeof routes)[number],
  protocol: ProtocolName,
) {
  let most = 16
  for (const piece of list) {
    if (piece.kind === 'text') most += Buffer.byteLength(piece.text.toWellFormed()) + 4
    else if (piece.kind === 'image') most += route.imageTokens
    else if (piece.kind === 'address' && protocol !== 'generate-content')
      most += route.addressTokens
    else most = Infinity
  }
  return most
}

function partOf(dialect: Dialect, piece: Piece): unknown {
  switch (piece.kind) {
    case 'text':
      return dialect.text(piece.text.toWellFormed())
    case 'image':
      return dialect.image(piece.shape)
    case 'address':
      return dialect.address(piece.shape)
    case 'unseen':
      return dialect.unseen[piece.shape % dialect.unseen.length]
  }
}

const facts = {
  model: 'm',
  isStream: false,
  outputTokensMax: undefined,
  answers: 1,
  wantsStreamUsage: false,
  framing: 'sse',
} as const

const shares = fc.record({
  cacheRead: fc.double({ min: 0, max: 1, noNaN: true }),
  cacheWrite: fc.double({ min: 0, max: 1, noNaN: true }),
})

describe.each(Object.keys(dialects) as ProtocolName[])('%s: what is held', (protocol) => {
  const dialect = dialects[protocol]

  test('bounds every possible report of a model, at every vendor, with both bounds', () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { minLength: 1, maxLength: 6 }),
        fc.option(fc.nat({ max: 20 }), { freq: 4, nil: undefined }),
        fc.constantFrom(...routes),
        windows,
        shares,
        (list, member, route, contextTokens, share) => {
          const candidate = candidateOf(route, contextTokens)
          const extra = member === undefined ? {} : dialect.members[member % dialect.members.length]
          const text = JSON.stringify({
            ...dialect.body(list.map((piece) => partOf(dialect, piece))),
            ...extra,
          })
          const body = readAtOnce(text)
          const wide = boundInput(protocols[protocol], body, Buffer.byteLength(text))
          const window = contextTokensOf(candidate.model)
          const told = member === undefined ? mostTokens(list, route, protocol) : Infinity
          const most = Math.min(told, window)
          for (const bound of [wide, wide.tighter()]) {
            expect(inputTokensAt(bound, candidate)).toBeGreaterThanOrEqual(most)
            expect(inputTokensAt(bound, candidate)).toBeLessThanOrEqual(window)
            const hold = sizeHold({
              client: protocol,
              facts,
              input: bound,
              candidates: [candidate],
            })
            const costNano = costOf(reported(most, share), price, 1_500_000n)
            expect(hold.amountNano).toBeGreaterThanOrEqual(costNano)
          }
          expect(inputTokensAt(wide.tighter(), candidate)).toBeLessThanOrEqual(
            inputTokensAt(wide, candidate),
          )
        },
      ),
      { numRuns: repeats(400) },
    )
  })

  test('bounds the accepted report of a dishonest upstream if there is unseen content', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 20 }),
        fc.constantFrom(...routes),
        windows,
        fc.nat(),
        shares,
        (member, route, contextTokens, tokens, share) => {
          const candidate = candidateOf(route, contextTokens)
          const text = JSON.stringify({
            ...dialect.body([dialect.text('look')]),
            ...dialect.members[member % dialect.members.length],
          })
          const bound = boundInput(protocols[protocol], readAtOnce(text), text.length)
          const { usage } = judgeUsage(
            { usage: reported(tokens, share), deliveredTokens: () => 0 },
            {
              outputTokensMax: candidate.model.maxOutputTokens,
              contextTokens: contextTokensOf(candidate.model),
              estimateInput: () => 0,
            },
          )
          const hold = sizeHold({
            client: protocol,
            facts,
            input: bound.tighter(),
            candidates: [candidate],
          })
          expect(hold.amountNano).toBeGreaterThanOrEqual(costOf(usage, price, 1_500_000n))
        },
      ),
      { numRuns: repeats(200) },
    )
  })

  test('without tools the bytes plus the allowance are never below the narrower bound', () => {
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 6 }), (list) => {
        const text = JSON.stringify(dialect.body(list.map((piece) => partOf(dialect, piece))))
        const narrow = tightTextTokens(readAtOnce(text))
        expect(Buffer.byteLength(text) + openingTokens).toBeGreaterThanOrEqual(narrow)
      }),
      { numRuns: repeats(400) },
    )
  })

  test('covers all that the model can write for a limit of 0, which some servers read as no limit', () => {
    const text = JSON.stringify(dialect.body([dialect.text('a word')]))
    const input = boundInput(protocols[protocol], readAtOnce(text), text.length)
    const candidates = [candidateOf(routes[1], 128_000)]
    const held = (outputTokensMax: number | undefined) =>
      sizeHold({ client: protocol, facts: { ...facts, outputTokensMax }, input, candidates })
    expect(held(0)).toEqual(held(undefined))
    expect(held(1).amountNano).toBeLessThan(held(0).amountNano)
  })

  test('is only the text when there is only text', () => {
    const text = JSON.stringify(dialect.body([dialect.text('a word'.repeat(100))]))
    const bound = boundInput(protocols[protocol], readAtOnce(text), text.length)
    const candidate = candidateOf(routes[1], 128_000)
    expect(inputTokensAt(bound, candidate)).toBe(text.length + 512)
    expect(inputTokensAt(bound.tighter(), candidate)).toBeLessThan(600 + 200)
  })
})

/** A prompt of this many tokens, some of them read from or written to the cache, and the maximum output. */
function reported(tokens: number, share: { cacheRead: number; cacheWrite: number }) {
  const cacheRead = Math.floor(tokens * share.cacheRead)
  const cacheWrite1h = Math.floor((tokens - cacheRead) * share.cacheWrite)
  return {
    input: tokens - cacheRead - cacheWrite1h,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h,
    output: 4_096,
    reasoning: 0,
  }
}
