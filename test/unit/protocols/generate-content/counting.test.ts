import { describe, expect, test } from 'bun:test'
import { counting } from '../../../../src/protocols/generate-content/counting.ts'
import { bodyOf, encode, facts, streamPath } from './build.ts'

const target = { model: 'up', outputTokensMax: 1, traits: {} }

describe('counting', () => {
  test('the body must have contents, alone or in a whole request', () => {
    const decoded = (body: unknown) => counting.decodeCount(bodyOf(body), streamPath)
    expect(decoded({ contents: 'hi' })).toMatchObject({ model: 'm', isStream: false })
    expect(decoded({ generateContentRequest: { contents: 'hi' } })).toMatchObject({ model: 'm' })
    expect(() => decoded({})).toThrow('contents')
    expect(() => decoded({ generateContentRequest: {} })).toThrow('contents')
  })

  test.each([
    ['{"contents": "hi" }', '{"contents": "hi" }'],
    [
      '{"generateContentRequest": {"contents":"hi"}}',
      '{"generateContentRequest": {"contents":"hi"}}',
    ],
    [
      '{"generateContentRequest": {"model" : "models/m", "contents":[1.0]}}',
      '{"generateContentRequest": {"model" : "models/up", "contents":[1.0]}}',
    ],
  ])('forwarded: %s', (sent, forwarded) => {
    expect(counting.encodeForward(bodyOf(sent), facts, target)).toBe(forwarded)
  })

  test('a generating body becomes a counting one with its model', () => {
    expect(counting.encodeCountRequest(encode({}).text, 'up')).toBe(
      '{"generateContentRequest":{"model":"models/up","contents":[{"role":"user","parts":[{"text":"hi"}]}]}}',
    )
  })

  test('answers', () => {
    expect(counting.readCount({ totalTokens: 5 })).toBe(5)
    for (const value of [{}, { totalTokens: 'x' }, undefined, []]) {
      expect(counting.readCount(value)).toBeUndefined()
    }
    expect(counting.encodeCount(5)).toEqual({ totalTokens: 5 })
  })
})
