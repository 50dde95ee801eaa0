import { describe, expect, test } from 'bun:test'
import {
  type DeliveryProblem,
  deliveryProblemTexts,
  deliveryText,
  readDeliveryText,
} from '../../../src/core/delivery-problem.ts'

const values = {
  host: 'hooks.example.com:8443',
  status: '307',
  email: 'ann@example.com',
  words: '550 5.1.1 No such user (see https://example.com/a.b?c)',
}

describe('the text of a failed delivery', () => {
  test.each(Object.keys(deliveryProblemTexts) as DeliveryProblem[])(
    '%s is recognised with its values, and not as another problem',
    (problem) => {
      const text = deliveryText(problem, values)
      expect(text).not.toMatch(/[{}]/)
      const places = [...deliveryProblemTexts[problem].matchAll(/\{(\w+)\}/g)]
      const names = places.map(([, name = '']) => name)
      expect(readDeliveryText(text)).toEqual({
        problem,
        values: Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name))),
      })
    },
  )

  test.each(['', '451 later', 'Something else happened.', 'a b answered HTTP 500.'])(
    'another text stays as it is: %p',
    (text) => expect(readDeliveryText(text)).toBeUndefined(),
  )
})
