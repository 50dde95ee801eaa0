import { describe, expect, test } from 'bun:test'
import { responses } from '../../../../src/protocols/responses/index.ts'
import { parseJson } from '../../../../src/wire/json.ts'
import { bodyOf, encode, path, plainRequest } from './helpers.ts'

const { counting } = responses
if (!counting) throw new Error('the protocol cannot count')

describe('counting the tokens of a responses request', () => {
  test('never a stream', () => {
    const body = bodyOf({ model: 'm', input: 'hi', stream: true })
    expect(counting.decodeCount(body, path)).toMatchObject({ model: 'm', isStream: false })
  })

  test('a request body without the fields that the call rejects', () => {
    const generating = encode(plainRequest({ isStream: true, outputTokensMax: 100 })).text
    expect(parseJson(counting.encodeCountRequest(generating, 'upstream-model'))).toEqual({
      model: 'upstream-model',
      input: [{ role: 'user', content: 'hi' }],
    })
  })

  test('the answer, both ways', () => {
    expect(counting.readCount({ object: 'response.input_tokens', input_tokens: 12 })).toBe(12)
    expect(counting.readCount({ totalTokens: 12 })).toBeUndefined()
    expect(counting.readCount(null)).toBeUndefined()
    expect(counting.encodeCount(7)).toEqual({ object: 'response.input_tokens', input_tokens: 7 })
  })
})
