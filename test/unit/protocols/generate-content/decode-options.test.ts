import { describe, expect, test } from 'bun:test'
import { decode } from './build.ts'

const contents = 'hi'

describe('the configuration', () => {
  const config = (generationConfig: object) => decode({ contents, generationConfig })

  test('sampling, zeros kept', () => {
    const { sampling } = config({
      temperature: 0,
      top_p: 0,
      topK: 40,
      seed: 0,
      stopSequences: ['x'],
      presencePenalty: -1,
      frequencyPenalty: '0.5',
    })
    expect(sampling).toEqual({
      temperature: 0,
      topP: 0,
      topK: 40,
      seed: 0,
      stop: ['x'],
      presencePenalty: -1,
      frequencyPenalty: 0.5,
    })
  })

  test('LangChain’s empty values count as absent', () => {
    const request = decode({
      contents,
      generationConfig: { stopSequences: [] },
      safetySettings: [],
    })
    expect(request.sampling.stop).toBeUndefined()
    expect(request.extras).toEqual({})
  })

  const configs: [thinking: object, reasoning: unknown][] = [
    [{}, undefined],
    [{ includeThoughts: false }, undefined],
    [{ includeThoughts: true }, { mode: 'auto', isVisible: true }],
    [{ thinkingBudget: 0 }, { mode: 'off' }],
    [{ thinkingBudget: -1 }, { mode: 'auto' }],
    [
      { thinking_budget: 512, include_thoughts: true },
      { mode: 'budget', budgetTokens: 512, isVisible: true },
    ],
    [{ thinkingLevel: 'low' }, { mode: 'effort', effort: 'low' }],
    [{ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' }, undefined],
  ]

  test.each(configs)('thinkingConfig %j', (thinkingConfig, reasoning) => {
    expect(config({ thinkingConfig }).reasoning).toEqual(reasoning as never)
  })

  test('structured output', () => {
    const schema = { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } }
    expect(config({ responseMimeType: 'text/plain' }).format).toBeUndefined()
    expect(config({ responseMimeType: 'application/json' }).format).toEqual({ type: 'json-object' })
    const { format } = config({ response_mime_type: 'application/json', response_schema: schema })
    expect(format).toMatchObject({
      type: 'json-schema',
      schema: '{"type":"object","properties":{"a":{"type":["string","null"]}}}',
    })
    expect(config({ responseJsonSchema: { type: 'object' } }).format).toMatchObject({
      schema: '{"type":"object"}',
    })
  })

  test('fields of this protocol alone are kept under their own names', () => {
    const extras = {
      safetySettings: [{ category: 'c', threshold: 't' }],
      cachedContent: 'cachedContents/1',
      labels: { a: 'b' },
      generationConfig: {
        responseModalities: ['IMAGE'],
        responseMimeType: 'text/x.enum',
        responseSchema: { type: 'STRING', enum: ['a'] },
      },
      toolConfig: { retrievalConfig: { languageCode: 'de' } },
    }
    const sent = {
      ...extras,
      generationConfig: { temperature: 1, ...extras.generationConfig },
      toolConfig: { functionCallingConfig: { mode: 'AUTO' }, ...extras.toolConfig },
      model: 'models/x',
    }
    expect(decode({ contents, ...sent }).extras).toEqual(extras)
    expect(config({ responseModalities: ['TEXT'] }).extras).toEqual({})
  })

  test('probabilities, tier, wrong numbers', () => {
    expect(config({ responseLogprobs: true, logprobs: 3 }).logprobs).toEqual({ top: 3 })
    expect(decode({ contents, serviceTier: 'STANDARD' }).serviceTier).toBe('default')
    expect(() => config({ temperature: 'warm' })).toThrow('generationConfig.temperature')
  })
})
