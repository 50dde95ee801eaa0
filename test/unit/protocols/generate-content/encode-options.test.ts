import { describe, expect, test } from 'bun:test'
import type { ModelRequest, Part } from '../../../../src/core/neutral/model-request.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { encode } from './build.ts'

const older: ModelTraits = { takesCallIds: false, schemaForm: 'classic', thinking: 'budget' }

describe('the configuration', () => {
  const configOf = (request: Partial<ModelRequest>, traits: ModelTraits = {}) =>
    encode(request, traits).value['generationConfig']

  const rows: [
    what: string,
    request: Partial<ModelRequest>,
    config: unknown,
    traits?: ModelTraits,
  ][] = [
    ['nothing', {}, undefined],
    [
      'zeros',
      { sampling: { temperature: 0, topP: 0, topK: 1, seed: 0 } },
      { temperature: 0, topP: 0, topK: 1, seed: 0 },
    ],
    [
      'penalties and stop sequences',
      { sampling: { presencePenalty: 1, frequencyPenalty: -1, stop: ['x'] } },
      { presencePenalty: 1, frequencyPenalty: -1, stopSequences: ['x'] },
    ],
    ['an output limit', { outputTokensMax: 100 }, { maxOutputTokens: 100 }],
    ['an output limit that is too large', { outputTokensMax: 100_000 }, { maxOutputTokens: 8_192 }],
    ['answers', { answers: 3 }, { candidateCount: 3 }],
    ['probabilities', { logprobs: { top: 3 } }, { responseLogprobs: true, logprobs: 3 }],
    [
      'log probabilities of the chosen tokens only',
      { logprobs: { top: 0 } },
      { responseLogprobs: true },
    ],
    [
      'JSON object output',
      { format: { type: 'json-object' } },
      { responseMimeType: 'application/json' },
    ],
    [
      'level',
      { reasoning: { mode: 'effort', effort: 'medium', isVisible: true } },
      { thinkingConfig: { includeThoughts: true, thinkingLevel: 'MEDIUM' } },
    ],
    [
      'a level, clamped',
      { reasoning: { mode: 'effort', effort: 'max' } },
      { thinkingConfig: { thinkingLevel: 'HIGH' } },
    ],
    [
      'a level, off',
      { reasoning: { mode: 'off', isVisible: true } },
      { thinkingConfig: { thinkingLevel: 'LOW' } },
      { efforts: ['low', 'high'], alwaysThinks: true },
    ],
    [
      'a level from a budget',
      { reasoning: { mode: 'budget', budgetTokens: 2_000 } },
      { thinkingConfig: { thinkingBudget: 2_000 } },
    ],
    [
      'automatic, visible',
      { reasoning: { mode: 'auto', isVisible: true } },
      { thinkingConfig: { includeThoughts: true } },
    ],
    ['auto', { reasoning: { mode: 'auto' } }, undefined],
    [
      'a budget, off',
      { reasoning: { mode: 'off' } },
      { thinkingConfig: { thinkingBudget: 0 } },
      { thinking: 'budget', budgetMin: 0, budgetMax: 1_000 },
    ],
    [
      'a budget from an effort',
      { reasoning: { mode: 'effort', effort: 'medium' } },
      { thinkingConfig: { thinkingBudget: 500 } },
      { thinking: 'budget', budgetMin: 0, budgetMax: 1_000 },
    ],
    [
      'a model without reasoning',
      { reasoning: { mode: 'effort', effort: 'high' } },
      undefined,
      { thinking: 'none' },
    ],
  ]

  test.each(rows)('%s', (_, request, config, traits = {}) => {
    expect(configOf(request, traits)).toEqual(config as never)
  })

  test('a schema, in both forms', () => {
    const format = {
      type: 'json-schema',
      name: 'n',
      description: undefined,
      schema: '{"type":"object"}',
      isStrict: true,
    } as const
    expect(configOf({ format })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object' },
    })
    expect(configOf({ format }, older)).toEqual({
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT' },
    })
  })

  test('image detail: one value for all images, or none', () => {
    const picture = (detail: string | undefined): Part => ({
      type: 'media',
      kind: 'image',
      mime: 'image/png',
      source: { type: 'base64', data: '' },
      detail,
    })
    const config = (...details: (string | undefined)[]) =>
      encode({ turns: [{ role: 'user', parts: details.map(picture) }] })
    expect(config('low', 'low').value['generationConfig']).toEqual({
      mediaResolution: 'MEDIA_RESOLUTION_LOW',
    })
    expect(config('auto').value['generationConfig']).toBeUndefined()
    expect(config('low', 'high')).toMatchObject({ warnings: ['contents_detail_dropped'] })
  })

  const unsaid: [request: Partial<ModelRequest>, warnings: string[]][] = [
    [
      { endUser: 'u', cacheKey: 'k', metadata: '{}' },
      ['user_dropped', 'cacheKey_dropped', 'labels_dropped'],
    ],
    [{ serviceTier: 'flex' }, ['serviceTier_dropped']],
    [{ serviceTier: 'auto' }, []],
    [{ serviceTier: 'standard_only' }, ['serviceTier_dropped']],
    [{ verbosity: 'low' }, ['verbosity_dropped']],
    [{ cacheMark: { ttl: '5m' } }, ['cacheMark_dropped']],
    [{ extras: { store: false } }, ['store_dropped']],
    [{ outputTokensMax: 100_000 }, ['generationConfig.maxOutputTokens_clamped']],
  ]

  test.each(unsaid)(
    '%j does not change the answer, even for strict groups',
    (request, warnings) => {
      expect(encode(request, {}, true).warnings).toEqual(warnings)
    },
  )

  const changed: [request: Partial<ModelRequest>, warning: string, traits?: ModelTraits][] = [
    [{ sampling: { logitBias: '{"1":2}' } }, 'logitBias_dropped'],
    [{ sampling: { seed: 2 ** 40 } }, 'generationConfig.seed_dropped'],
    [
      { sampling: { temperature: 1 } },
      'generationConfig.temperature_dropped',
      { takesSampling: false },
    ],
    [{ extras: { mcp_servers: [] } }, 'mcp_servers_dropped'],
  ]

  test.each(changed)('%j changes it: warned, or rejected', (request, warning, traits = {}) => {
    expect(encode(request, traits).warnings).toEqual([warning])
    expect(() => encode(request, traits, true)).toThrow('strict')
  })

  const refused: [request: Partial<ModelRequest>, param: string][] = [
    [{ sampling: { stop: ['1', '2', '3', '4', '5', '6'] } }, 'generationConfig.stopSequences'],
    [{ answers: 9 }, 'generationConfig.candidateCount'],
  ]

  test.each(refused)('%j is refused', (request, param) => {
    try {
      encode(request)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ status: 400, details: { param } })
    }
  })

  test('fields of this protocol alone come back', () => {
    const extras = {
      safetySettings: [{ category: 'c' }],
      cachedContent: 'x',
      generationConfig: { responseModalities: ['IMAGE'] },
      toolConfig: { retrievalConfig: { languageCode: 'de' } },
    }
    const { value, warnings } = encode({ extras, outputTokensMax: 1 })
    expect(value).toMatchObject({
      ...extras,
      generationConfig: { maxOutputTokens: 1, responseModalities: ['IMAGE'] },
    })
    expect(warnings).toEqual([])
  })
})
