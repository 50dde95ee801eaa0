import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import type { ModelRequest } from '../../../../src/core/neutral/model-request.ts'
import type { Target } from '../../../../src/protocols/translation.ts'
import { encode, plainRequest, target } from './helpers.ts'

describe('other fields for a responses upstream', () => {
  test('nothing is stored, and encrypted reasoning is requested', () => {
    expect(encode(plainRequest({ isStream: true })).value).toEqual({
      model: 'upstream-model',
      input: [{ role: 'user', content: 'hi' }],
      include: ['reasoning.encrypted_content'],
      store: false,
      stream: true,
    })
  })

  const thoughtless: Target = { ...target, traits: { thinking: 'none', takesSampling: false } }
  const said: [string, Partial<ModelRequest>, Target, unknown, string[]][] = [
    [
      'instructions are joined',
      {
        system: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      target,
      { instructions: 'a\n\nb' },
      [],
    ],
    [
      'an output limit below the minimum',
      { outputTokensMax: 1 },
      target,
      { max_output_tokens: 16 },
      ['max_output_tokens_clamped'],
    ],
    [
      'an output limit above the maximum',
      { outputTokensMax: 99_999 },
      target,
      { max_output_tokens: 32_000 },
      ['max_output_tokens_clamped'],
    ],
    [
      'zeros are values',
      { sampling: { temperature: 0, topP: 0 } },
      target,
      { temperature: 0, top_p: 0 },
      [],
    ],
    [
      'a model with fixed sampling and without reasoning',
      {
        sampling: { temperature: 0.5, topP: 0.5 },
        reasoning: { mode: 'effort', effort: 'high' },
      },
      thoughtless,
      { include: undefined },
      ['temperature_dropped', 'top_p_dropped', 'reasoning_dropped'],
    ],
    [
      'fields that this protocol lacks',
      {
        sampling: {
          topK: 1,
          seed: 0,
          stop: ['x'],
          presencePenalty: 1,
          frequencyPenalty: 1,
          logitBias: '{"1":2}',
        },
      },
      target,
      {},
      [
        'top_k_dropped',
        'seed_dropped',
        'stop_dropped',
        'presence_penalty_dropped',
        'frequency_penalty_dropped',
        'logit_bias_dropped',
      ],
    ],
    [
      'fields without effect give no warning',
      { sampling: { stop: [], presencePenalty: 0, frequencyPenalty: 0, logitBias: '{}' } },
      target,
      {},
      [],
    ],
    [
      'effort and a summary',
      { reasoning: { mode: 'effort', effort: 'high', isVisible: true } },
      target,
      { reasoning: { effort: 'high', summary: 'auto' } },
      [],
    ],
    [
      'a budget becomes an effort',
      { reasoning: { mode: 'budget', budgetTokens: 1_024 }, outputTokensMax: 16_000 },
      target,
      { reasoning: { effort: 'low' }, max_output_tokens: 16_000 },
      [],
    ],
    [
      'a schema without a name or strictness',
      {
        format: {
          type: 'json-schema',
          name: undefined,
          description: undefined,
          schema: '{}',
          isStrict: undefined,
        },
        verbosity: 'low',
      },
      target,
      {
        text: {
          format: { type: 'json_schema', name: 'response', schema: {}, strict: false },
          verbosity: 'low',
        },
      },
      [],
    ],
    [
      'a name with characters that are not allowed',
      {
        format: {
          type: 'json-schema',
          name: 'my answer!',
          description: 'd',
          schema: '{}',
          isStrict: true,
        },
      },
      target,
      {
        text: {
          format: {
            type: 'json_schema',
            name: 'my_answer_',
            description: 'd',
            schema: {},
            strict: true,
          },
        },
      },
      [],
    ],
    [
      'probabilities',
      { logprobs: { top: 2 } },
      target,
      {
        include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
        top_logprobs: 2,
      },
      [],
    ],
    [
      'metadata that fits',
      {
        endUser: 'u',
        cacheKey: 'k',
        serviceTier: 'standard_only',
        metadata: '{"a":"b"}',
      },
      target,
      { user: 'u', prompt_cache_key: 'k', service_tier: 'default', metadata: { a: 'b' } },
      [],
    ],
    [
      'metadata that does not fit',
      {
        endUser: 'u'.repeat(65),
        cacheKey: 'k'.repeat(65),
        serviceTier: 'express',
        metadata: '{"a":1}',
      },
      target,
      {},
      ['service_tier_dropped', 'user_dropped', 'prompt_cache_key_dropped', 'metadata_dropped'],
    ],
    [
      'fields of other protocols',
      { extras: { max_tool_calls: 2, store: true, mcp_servers: [1] } },
      target,
      { max_tool_calls: 2 },
      ['store_dropped', 'mcp_servers_dropped'],
    ],
  ]
  test.each(said)('%s', (_, over, to, expected, warnings) => {
    const plain = encode(plainRequest(), to).value
    const encoded = encode(plainRequest(over), to)
    expect(encoded.value).toEqual(JSON.parse(JSON.stringify({ ...plain, ...(expected as object) })))
    expect([...encoded.warnings].sort()).toEqual([...warnings].sort())
  })

  test('a strict group refuses what would change the meaning, and only that', () => {
    expect(() => encode(plainRequest({ sampling: { seed: 1 } }), target, true)).toThrow(Fault)
    const kept = encode(plainRequest({ endUser: 'u'.repeat(65) }), target, true)
    expect(kept.warnings).toEqual(['user_dropped'])
  })
})
