import { describe, expect, test } from 'bun:test'
import type { Effort, ReasoningRequest } from '../../../../src/core/model-request.ts'
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
    ['as the model likes', auto, newest, undefined],
    ['a model that does not think', effort('high'), noThinking, undefined],
    ['off', off, newest, 'none'],
    ['off where none is refused', off, five, 'minimal'],
    ['off where it cannot be', off, twoRungs, 'low'],
    ['off where only the usual words are taken', off, { alwaysThinks: true }, 'low'],
    ['off where none is taken', off, switchable, 'none'],
    ['none is off', effort('none'), five, 'minimal'],
    ['a word that is taken', effort('medium'), newest, 'medium'],
    ['the greatest where it is taken', effort('max'), all, 'max'],
    ['too great', effort('xhigh'), newest, 'high'],
    ['too small', effort('minimal'), newest, 'low'],
    ['too small, and never none', effort('minimal'), switchable, 'low'],
    ['between two: the lower', effort('medium'), twoRungs, 'low'],
    ['an effort without a word', { mode: 'effort' }, newest, undefined],
    ['a small budget', budget(3_499), newest, 'low'],
    ['a middle budget', budget(3_500), newest, 'medium'],
    ['still middle', budget(6_499), newest, 'medium'],
    ['a large budget', budget(6_500), newest, 'high'],
    ['more than there is', budget(99_999), newest, 'high'],
    ['a budget of nothing is off', budget(0), newest, 'none'],
    ['a budget without limit', budget(-1), newest, undefined],
    ['a budget without a number', { mode: 'budget' }, newest, undefined],
    ['a budget on two rungs', budget(5_000), twoRungs, 'low'],
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
    ['as the model likes', auto, newest, undefined],
    ['a model that does not think', budget(2_000), noThinking, undefined],
    ['off', off, newest, 'off'],
    ['off where it cannot be: the least', off, pro, 128],
    ['off where it cannot be, and nobody knows the least', off, { alwaysThinks: true }, undefined],
    ['none is off', effort('none'), flash, 'off'],
    ['minimal', effort('minimal'), newest, 1_024],
    ['low of the output', effort('low'), newest, 2_500],
    ['medium of the output', effort('medium'), newest, 5_000],
    ['high of the output', effort('high'), newest, 7_500],
    ['the greatest leaves room for the answer', effort('max'), newest, 8_976],
    ['minimal of a range', effort('minimal'), pro, 512],
    ['low of a range', effort('low'), flash, 4_915],
    ['high of a range', effort('high'), pro, 26_240],
    ['the greatest of a range', effort('xhigh'), lite, 24_576],
    ['a budget', budget(3_000), newest, 3_000],
    ['a budget that is too small', budget(10), newest, 1_024],
    ['a budget that is too small for the range', budget(10), lite, 512],
    ['a budget that is too large for the range', budget(99_999), flash, 24_576],
    ['a budget of nothing', budget(0), flash, 'off'],
    ['a budget of nothing where it cannot be', budget(0), pro, 128],
    ['a budget without limit', budget(-1), flash, undefined],
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
