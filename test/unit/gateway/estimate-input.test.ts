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
  ])('%s', (_, body, most) => {
    expect(roughInputTokens(body)).toBeLessThanOrEqual(most)
    expect(roughInputTokens(body)).toBeGreaterThanOrEqual(Math.floor(estimateInputTokens(body) / 4))
  })
})
