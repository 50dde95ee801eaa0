import { describe, expect, test } from 'bun:test'
import { estimateInputTokens, roughInputTokens } from '../../../src/gateway/estimate-input.ts'

const picture = 'iVBORw0KGgo'.repeat(70_000)

describe('how large a prompt is', () => {
  test.each([
    ['a word', { messages: [{ role: 'user', content: 'see' }] }, 10],
    ['a long text', { messages: [{ content: 'many words '.repeat(4_000) }] }, 15_000],
    ['a picture is no text', { messages: [{ content: [{ source: { data: picture } }] }] }, 1_500],
    ['nor is one in an address', { image_url: `data:image/png;base64,${picture}` }, 1_500],
    ['nothing', {}, 0],
    [
      'a picture that only the upstream sees',
      { image_url: { url: 'https://pic.example/a' } },
      1_600,
    ],
    ['a file by its id', { file: { file_id: 'file-1' } }, 1_600],
    ['a source by its address', { source: { type: 'url', url: 'https://pic.example/a' } }, 1_600],
    ['a file by its URI', { fileData: { fileUri: 'gs://bucket/film' } }, 1_600],
  ])('%s', (_, body, most) => {
    expect(roughInputTokens(body)).toBeLessThanOrEqual(most)
    expect(roughInputTokens(body)).toBeGreaterThanOrEqual(Math.floor(estimateInputTokens(body) / 4))
  })
})

describe('what cannot be hidden in a prompt', () => {
  const reference = 1_500
  test.each([
    ['a picture by its address', { image_url: { url: 'https://pic.example/a' } }, reference],
    ['a picture by its bare address', { image_url: 'https://pic.example/a' }, reference],
    ['a file by its id', { file: { file_id: 'file-1' } }, reference],
    ['a file by its URI', { fileData: { fileUri: 'gs://bucket/film' } }, reference],
    [
      'ten pages inline',
      { file_data: `data:application/pdf;base64,${'QUJD'.repeat(250_000)}` },
      15_000,
    ],
    // Text does not become a picture by its first word, or by having no spaces.
    ['a text that begins like one', { content: `data:,${'many words '.repeat(4_000)}` }, 6_000],
    ['a text without a space', { text: 'a1B2c3D4'.repeat(20_000) }, 6_000],
  ])('%s', (_, body, least) => {
    expect(estimateInputTokens(body)).toBeGreaterThanOrEqual(least)
    expect(roughInputTokens(body)).toBeGreaterThanOrEqual(least)
  })
})

test('a long prompt is not counted to its end, and a thin beginning does not hide a dense rest', () => {
  const text = ' '.repeat(40_000) + '字'.repeat(40_000)
  expect(estimateInputTokens({ text })).toBeGreaterThanOrEqual(29_000)
  const words = 'many different words, here. '
  const short = estimateInputTokens({ text: words.repeat(1_000) })
  const long = estimateInputTokens({ text: words.repeat(50_000) })
  expect(Math.abs(long / (short * 50) - 1)).toBeLessThan(0.05)
})
