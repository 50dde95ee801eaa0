import { describe, expect, test } from 'bun:test'
import { newAlertValues, requestOf } from '../../../console/src/alerts/alert-values.ts'
import { seriesColorsOf } from '../../../console/src/chart/series-colors.ts'
import { changedFields } from '../../../console/src/operator/audit/changed-fields.ts'
import { priceOf, priceValues } from '../../../console/src/operator/catalog/price-values.ts'
import { cardsOf, lanesOf, moveCard } from '../../../console/src/operator/upstreams/lanes.ts'
import { policyOf, rowsOf } from '../../../console/src/operator/upstreams/parameter-rows.ts'

describe('colours of a chart', () => {
  const names = ['gpt-x', 'claude-y', 'gemini-z', 'demo', 'a', 'b', 'c', 'd']

  test('each name has one of its own, whatever its rank', () => {
    const colors = seriesColorsOf(names)
    expect(new Set(colors.values()).size).toBe(names.length)
    expect(seriesColorsOf([...names].reverse())).toEqual(
      new Map([...names].reverse().map((name) => [name, colors.get(name) ?? ''])),
    )
  })

  test('a name has the same colour alone and among others, unless another name has it first', () => {
    const alone = seriesColorsOf(['gpt-x']).get('gpt-x')
    expect(seriesColorsOf(['gpt-x', '*', '']).get('gpt-x')).toBe(alone ?? '')
    expect(seriesColorsOf(['*', '']).get('*')).toBe('gray.5')
  })
})

describe('a new alert', () => {
  const whole = newAlertValues(null, {
    recipient: 'ann@example.com',
    hasMail: true,
    language: 'en',
  })

  test.each([
    ['the whole gateway', 'gateway', ['key_expiring', 'upstream_down']],
    // The conditions for operators are no longer shown then, so nobody could remove them.
    ['one account instead of the whole gateway', 'account', ['key_expiring']],
  ] as const)('for %s has the conditions that are offered', (_name, reach, kinds) => {
    const chosen = ['upstream_down', 'key_expiring'] as const
    const accountId = reach === 'gateway' ? null : 'acme'
    const request = requestOf({ ...whole, name: 'ops', reach, accountId: 'acme', kinds: chosen })
    expect(request).toMatchObject({ accountId, kinds })
  })
})

describe('lanes', () => {
  test.each([
    ['into the next lane', [['a', 'b'], ['c']], [0, 0], [1, 1], [['b'], ['c', 'a']]],
    ['within its lane', [['a', 'b', 'c']], [0, 0], [0, 2], [['b', 'c', 'a']]],
    ['into a new last lane', [['a', 'b']], [0, 0], [1, 0], [['b'], ['a']]],
    ['and leaves no empty lane behind', [['a'], ['b']], [0, 0], [1, 0], [['a', 'b']]],
    ['alone into the last lane and stays alone', [['a']], [0, 0], [1, 0], [['a']]],
    ['from an empty position, which changes nothing', [['a']], [0, 7], [1, 0], [['a']]],
  ] as const)(
    'a card moves %s',
    (_name, lanes, [fromLane, fromIndex], [toLane, toIndex], wanted) => {
      const from = { lane: fromLane, index: fromIndex }
      const to = { lane: toLane, index: toIndex }
      expect<unknown>(moveCard(lanes, from, to)).toEqual(wanted)
    },
  )

  test('priorities become lanes in their order, and lanes priorities without a gap', () => {
    const cards = [
      { id: 'late', priority: 9 },
      { id: 'first', priority: 0 },
      { id: 'beside', priority: 0 },
    ]
    const lanes = lanesOf(cards)
    expect(lanes.map((lane) => lane.map(({ id }) => id))).toEqual([['first', 'beside'], ['late']])
    expect(cardsOf(lanes).map(({ priority }) => priority)).toEqual([0, 0, 1])
  })
})

describe('parameters', () => {
  const policy = {
    rename: { max_tokens: 'limit' },
    drop: ['seed'],
    clamp: { temperature: [0, 1], top_p: [null, 0.9] },
    default: { top_k: 5, stop: ['a'], note: 'text' },
    headers: { 'x-team': 'red' },
    outputLimit: 'max_tokens',
  } as const

  test('come back from the editor unchanged', () => {
    expect(policyOf(rowsOf(policy), policy.outputLimit)).toEqual(policy)
  })

  test('of nothing, or of lines without a name, are none', () => {
    expect(policyOf(rowsOf(null), undefined)).toBeNull()
    expect(policyOf([{ kind: 'drop', name: ' ', value: '', most: '' }], undefined)).toBeNull()
  })

  test('take a default that is not JSON as text', () => {
    const rows = [{ kind: 'default', name: 'user', value: 'Ann', most: '' }] as const
    expect(policyOf(rows, undefined)).toEqual({ default: { user: 'Ann' } })
  })
})

describe('prices', () => {
  test('come back from the form exact to the nano', () => {
    const price = {
      inputNano: '2500000000',
      cacheReadNano: '1',
      cacheWrite5mNano: '0',
      cacheWrite1hNano: '1234567890123456789',
      outputNano: '10000000001',
      requestNano: '5',
    }
    expect(priceValues(price).outputNano).toBe('10.000000001')
    expect(priceOf({ ...priceValues(price), cacheWrite1hNano: '1.5' })).toEqual({
      ...price,
      cacheWrite1hNano: '1500000000',
    })
  })
})

describe('the fields that a change has touched', () => {
  test.each([
    ['nothing', { a: 1 }, { a: 1 }, []],
    ['a nested member', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, [['a.c', '2', '3']]],
    ['all fields of a new value', null, { a: 'x' }, [['a', undefined, 'x']]],
    ['all fields of a deleted value', { a: 1, b: null }, null, [['a', '1', undefined]]],
    ['a value that is no longer set', { a: 1 }, { a: null }, [['a', '1', undefined]]],
    ['a value that was not set', { a: null }, { a: 1 }, [['a', undefined, '1']]],
    ['nothing that was not set before or after', { a: null }, {}, []],
    ['a list as a whole', { a: [1] }, { a: [1, 2] }, [['a', '[1]', '[1,2]']]],
  ] as const)('%s', (_name, before, after, wanted) => {
    const found = changedFields(before, after)
    expect<unknown>(found.map((field) => [field.path, field.before, field.after])).toEqual(wanted)
  })
})
