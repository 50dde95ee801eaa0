import { describe, expect, test } from 'bun:test'
import type { Effort, ReasoningRequest } from '../../../../src/core/neutral/model-request.ts'
import { budgetFor, effortFor } from '../../../../src/protocols/fit/fit-reasoning.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'

const off: ReasoningRequest = { mode: 'off' }
const auto: ReasoningRequest = { mode: 'auto' }
const effort = (word: Effort): ReasoningRequest => ({ mode: 'effort', effort: word })
const budget = (budgetTokens: number): ReasoningRequest => ({ mode: 'budget', budgetTokens })

const newest: ModelTraits = {}
const five: ModelTraits = { efforts: ['minimal', 'low', 'medium', 'high'] }
const all: ModelTraits = { efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] }
const twoRungs: ModelTraits = { efforts: ['low', 'high'], alwaysThinks: true }
const switchable: ModelTraits = { efforts: ['none', 'low', 'high'] }
const noThinking: ModelTraits = { thinking: 'none' }

describe('the effort for a model', () => {
  const rows: [string, ReasoningRequest | undefined, ModelTraits, Effort | undefined][] = [
    ['not requested', undefined, newest, undefined],
    ['left to the model', auto, newest, undefined],
    ['a model without reasoning', effort('high'), noThinking, undefined],
    ['off', off, newest, 'none'],
    ['off for a model that refuses none', off, five, 'minimal'],
    ['off for a model that always reasons', off, twoRungs, 'low'],
    [
      'off for a model that always reasons, without declared efforts',
      off,
      { alwaysThinks: true },
      'low',
    ],
    ['off for a model that accepts none', off, switchable, 'none'],
    ['an effort of none means off', effort('none'), five, 'minimal'],
    ['an effort that the model accepts', effort('medium'), newest, 'medium'],
    ['the highest effort for a model that accepts it', effort('max'), all, 'max'],
    ['an effort that is too high', effort('xhigh'), newest, 'high'],
    ['an effort that is too low', effort('minimal'), newest, 'low'],
    ['an effort that is too low does not become none', effort('minimal'), switchable, 'low'],
    ['between two efforts: the lower one', effort('medium'), twoRungs, 'low'],
    ['an effort without a value', { mode: 'effort' }, newest, undefined],
    ['a small budget', budget(3_499), newest, 'low'],
    ['a medium budget', budget(3_500), newest, 'medium'],
    ['the largest medium budget', budget(6_499), newest, 'medium'],
    ['a large budget', budget(6_500), newest, 'high'],
    ['a budget above the maximum', budget(99_999), newest, 'high'],
    ['a budget of 0 means off', budget(0), newest, 'none'],
    ['an unlimited budget', budget(-1), newest, undefined],
    ['a budget without a number', { mode: 'budget' }, newest, undefined],
    ['a budget for a model with two efforts', budget(5_000), twoRungs, 'low'],
  ]
  test.each(rows)('%s', (_, request, traits, expected) => {
    expect(effortFor(request, traits, 10_000)).toBe(expected as Effort)
  })

  test('a request without an output limit does not fail', () => {
    expect(effortFor(budget(100), newest, 0)).toBe('high')
  })
})

describe('the budget for a model', () => {
  const pro: ModelTraits = { budgetMin: 128, budgetMax: 32_768, alwaysThinks: true }
  const flash: ModelTraits = { budgetMin: 0, budgetMax: 24_576 }
  const lite: ModelTraits = { budgetMin: 512, budgetMax: 24_576 }
  const rows: [string, ReasoningRequest | undefined, ModelTraits, number | 'off' | undefined][] = [
    ['not requested', undefined, newest, undefined],
    ['left to the model', auto, newest, undefined],
    ['a model without reasoning', budget(2_000), noThinking, undefined],
    ['off', off, newest, 'off'],
    ['off for a model that always reasons: the minimum', off, pro, 128],
    [
      'off for a model that always reasons, minimum unknown',
      off,
      { alwaysThinks: true },
      undefined,
    ],
    ['an effort of none means off', effort('none'), flash, 'off'],
    ['minimal', effort('minimal'), newest, 1_024],
    ['low as a share of the output', effort('low'), newest, 2_500],
    ['medium as a share of the output', effort('medium'), newest, 5_000],
    ['high as a share of the output', effort('high'), newest, 7_500],
    ['the highest effort leaves room for the answer', effort('max'), newest, 8_976],
    ['minimal within a range', effort('minimal'), pro, 512],
    ['low within a range', effort('low'), flash, 4_915],
    ['high within a range', effort('high'), pro, 26_240],
    ['the highest effort within a range', effort('xhigh'), lite, 24_576],
    ['a budget', budget(3_000), newest, 3_000],
    ['a budget that is too small', budget(10), newest, 1_024],
    ['a budget below the range', budget(10), lite, 512],
    ['a budget above the range', budget(99_999), flash, 24_576],
    ['a budget of 0', budget(0), flash, 'off'],
    ['a budget of 0 for a model that always reasons', budget(0), pro, 128],
    ['an unlimited budget', budget(-1), flash, undefined],
  ]
  test.each(rows)('%s', (_, request, traits, expected) => {
    expect(budgetFor(request, traits, 10_000)).toBe(expected as number)
  })

  test('a small output limit never gives less than the minimum', () => {
    for (const word of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const) {
      expect(budgetFor(effort(word), newest, 500)).toBe(1_024)
    }
  })
})
