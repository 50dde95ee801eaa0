import { describe, expect, test } from 'bun:test'
import { readJsonBody } from '../../../src/gateway/admit/read-json-body.ts'
import * as estimates from '../../../src/gateway/charge/estimate-input.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

/** For a body that was read at once. */
const short = (value: JsonObject) => ({ value, text: JSON.stringify(value) })
const estimateInputTokens = (value: JsonObject) => estimates.estimateInputTokens(short(value))
const roughInputTokens = (value: JsonObject) => estimates.roughInputTokens(short(value))

const picture = 'iVBORw0KGgo'.repeat(70_000)

describe('the estimated size of a prompt', () => {
  test.each([
    ['a word', { messages: [{ role: 'user', content: 'see' }] }, 10],
    ['a long text', { messages: [{ content: 'many words '.repeat(4_000) }] }, 15_000],
    [
      'a base64 image is not text',
      { messages: [{ content: [{ source: { data: picture } }] }] },
      1_500,
    ],
    ['a data URL is not text', { image_url: `data:image/png;base64,${picture}` }, 1_500],
    ['nothing', {}, 0],
    ['an image URL', { image_url: { url: 'https://pic.example/a' } }, 1_600],
    ['a file id', { file: { file_id: 'file-1' } }, 1_600],
    ['a source URL', { source: { type: 'url', url: 'https://pic.example/a' } }, 1_600],
    ['a file URI', { fileData: { fileUri: 'gs://bucket/film' } }, 1_600],
  ])('%s', (_, body, most) => {
    expect(roughInputTokens(body)).toBeLessThanOrEqual(most)
    expect(roughInputTokens(body)).toBeGreaterThanOrEqual(Math.floor(estimateInputTokens(body) / 4))
  })
})

describe('text that looks like media still counts', () => {
  const reference = 1_500
  test.each([
    ['an image URL in an object', { image_url: { url: 'https://pic.example/a' } }, reference],
    ['an image URL', { image_url: 'https://pic.example/a' }, reference],
    ['a file id', { file: { file_id: 'file-1' } }, reference],
    ['a file URI', { fileData: { fileUri: 'gs://bucket/film' } }, reference],
    [
      'an inline document of ten pages',
      { file_data: `data:application/pdf;base64,${'QUJD'.repeat(250_000)}` },
      15_000,
    ],
    // A text does not become an image by its first word, or by having no spaces.
    [
      'a text that begins like a data URL',
      { content: `data:,${'many words '.repeat(4_000)}` },
      6_000,
    ],
    ['a text without spaces', { text: 'a1B2c3D4'.repeat(20_000) }, 6_000],
  ])('%s', (_, body, least) => {
    expect(estimateInputTokens(body)).toBeGreaterThanOrEqual(least)
    expect(roughInputTokens(body)).toBeGreaterThanOrEqual(least)
  })
})

test('a long prompt is sampled, and a sparse beginning does not hide a dense rest', () => {
  const text = ' '.repeat(40_000) + '字'.repeat(40_000)
  expect(estimateInputTokens({ text })).toBeGreaterThanOrEqual(29_000)
  const words = 'many different words, here. '
  const some = estimateInputTokens({ text: words.repeat(1_000) })
  const many = estimateInputTokens({ text: words.repeat(50_000) })
  expect(Math.abs(many / (some * 50) - 1)).toBeLessThan(0.05)
})

describe('a body that is read without its long strings has the same estimate', () => {
  const mebi = 1024 * 1024
  const words = 'Many different words, \\n and lines: '
  test.each([
    ['words', { messages: [{ role: 'user', content: words.repeat(60_000) }] }],
    ['Chinese', { messages: [{ role: 'user', content: '文字处理。'.repeat(200_000) }] }],
    ['one character beyond Latin-1', { input: `文${words.repeat(60_000)}`, instructions: words }],
    ['quotes and line breaks', { system: '"a"\n\n'.repeat(300_000) }],
    ['a sparse beginning and a dense rest', { input: ' '.repeat(mebi) + '字'.repeat(mebi) }],
    ['a base64 image', { messages: [{ content: [{ source: { data: picture.repeat(2) } }] }] }],
    ['an image in a data URL', { image_url: `data:image/png;base64,${picture.repeat(2)}` }],
    ['a document', { file_data: `data:application/pdf;base64,${'QUJD'.repeat(mebi)}` }],
    ['a text that looks like base64', { text: 'QUJD'.repeat(mebi) }],
    ['very many strings', { input: Array(3_000).fill({ text: `${words.repeat(28)}文` }) }],
    ['several', { input: [{ text: words.repeat(30_000) }, { text: '文'.repeat(mebi) }] }],
  ] as readonly [string, JsonObject][])('%s', async (_, value) => {
    const text = JSON.stringify(value)
    const body = await readJsonBody(Buffer.from(text), (prefix) => `${prefix}0123456789abcdef`)
    expect(body.cuts).toBeDefined()
    for (const estimate of [estimates.estimateInputTokens, estimates.roughInputTokens]) {
      const ratio = estimate(body) / estimate({ value, text })
      expect(ratio).toBeGreaterThan(0.9)
      expect(ratio).toBeLessThan(1.2)
    }
  })
})
