import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { passThrough } from '../../../../src/protocols/generate-content/pass-through/pass-through.ts'
import { bodyOf, facts, streamPath } from './build.ts'

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]

const taken: [what: string, body: unknown, facts: Record<string, unknown>][] = [
  [
    'only the required fields',
    { contents },
    { model: 'm', isStream: true, answers: 1, framing: 'sse' },
  ],
  ['text instead of contents', { contents: 'hi' }, { answers: 1 }],
  ['one content, one part, no role', { contents: { parts: { text: 'hi' } } }, { answers: 1 }],
  ['null for unset fields', { contents, generationConfig: null, tools: null }, {}],
  [
    'an output limit',
    { contents, generationConfig: { maxOutputTokens: 9 } },
    { outputTokensMax: 9 },
  ],
  [
    'snake_case names',
    { contents, generation_config: { max_output_tokens: 9, candidate_count: 3 } },
    { outputTokensMax: 9, answers: 3 },
  ],
  [
    'both spellings: camelCase takes precedence',
    { contents, generationConfig: { maxOutputTokens: 9, max_output_tokens: 5 } },
    { outputTokensMax: 9 },
  ],
  [
    'a number as text',
    { contents, generationConfig: { maxOutputTokens: '9' } },
    { outputTokensMax: 9 },
  ],
  ['no candidate count', { contents, generationConfig: { candidateCount: 0 } }, { answers: 1 }],
  ['instructions as text', { contents, systemInstruction: 'be brief' }, {}],
]

const refused: [body: unknown, param: string][] = [
  [{}, 'contents'],
  [{ contents: [] }, 'contents'],
  [{ contents: '' }, 'contents'],
  [{ contents: null }, 'contents'],
  [{ contents: 5 }, 'contents[0]'],
  [{ contents: [...contents, null] }, 'contents[1]'],
  [{ contents: [{ role: 5, parts: [] }] }, 'contents[0].role'],
  [{ contents: [{ parts: [5] }] }, 'contents[0].parts[0]'],
  [{ contents: [{ parts: [{ text: 5 }] }] }, 'contents[0].parts[0].text'],
  [{ contents, systemInstruction: 5 }, 'systemInstruction'],
  [{ contents, generationConfig: [] }, 'generationConfig'],
  [{ contents, generationConfig: { maxOutputTokens: -1 } }, 'generationConfig.maxOutputTokens'],
  [{ contents, generationConfig: { maxOutputTokens: 'many' } }, 'generationConfig.maxOutputTokens'],
  [{ contents, generationConfig: { candidateCount: 99 } }, 'generationConfig.candidateCount'],
]

describe('the facts of a request', () => {
  test.each(taken)('%s', (_, body, expected) => {
    expect(passThrough.decodeFacts(bodyOf(body), streamPath)).toMatchObject(expected)
  })

  test.each(refused)('%j is a 400 that names the field', (body, param) => {
    const decode = () => passThrough.decodeFacts(bodyOf(body), streamPath)
    expect(decode).toThrow(Fault)
    try {
      decode()
    } catch (error) {
      expect(error).toMatchObject({ status: 400, details: { param } })
    }
  })

  test('a path without a model is a 400', () => {
    const path = { ...streamPath, model: undefined }
    expect(() => passThrough.decodeFacts(bodyOf({ contents }), path)).toThrow('model')
  })
})

describe('the body for an upstream of the same protocol', () => {
  const target = { model: 'up', outputTokensMax: 100, traits: {} }
  const forwarded = (text: string) => {
    const body = bodyOf(text)
    return passThrough.encodeForward(body, passThrough.decodeFacts(body, streamPath), target)
  }

  test('every byte stays when the limit fits', () => {
    const text =
      '{ "contents" : "hi","model":"x", "unknown":1.0, "generationConfig":{"maxOutputTokens": 100}}'
    expect(forwarded(text)).toBe(text)
    expect(passThrough.encodeForward(bodyOf(text), facts, target)).toBe(text)
  })

  test.each([
    ['generationConfig', 'maxOutputTokens'],
    ['generation_config', 'max_output_tokens'],
    ['generationConfig', 'max_output_tokens'],
  ])('only the limit is lowered in %s.%s', (outer, inner) => {
    const with_ = (limit: number) =>
      `{"contents":"hi", "${outer}" : {"seed":1e0,\n"${inner}" : ${limit} , "topP":0.10},"z":[1.0]}`
    expect(forwarded(with_(101))).toBe(with_(100))
  })
})
