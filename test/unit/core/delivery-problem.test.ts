import { describe, expect, test } from 'bun:test'
import {
  type DeliveryProblem,
  deliveryProblemTexts,
  deliveryText,
  readDeliveryText,
} from '../../../src/core/delivery-problem.ts'
import { errorLine, outboxLimits } from '../../../src/outbox/message.ts'

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

  test.each(Object.keys(deliveryProblemTexts) as DeliveryProblem[])(
    '%s is still recognised when it is stored with the longest values',
    (problem) => {
      const host = `${'a.'.repeat(126)}a:65535`
      const words = `535-5.7.8 rejected\r\n${'see our help pages '.repeat(100)}`
      const line = errorLine(new Error(deliveryText(problem, { ...values, host, words })))
      expect(readDeliveryText(line)?.problem).toBe(problem)
      expect(line.length).toBeLessThan(outboxLimits.errorCharactersMax)
    },
  )

  test.each(['', '451 later', 'Something else happened.', 'a b answered HTTP 500.'])(
    'another text stays as it is: %p',
    (text) => expect(readDeliveryText(text)).toBeUndefined(),
  )
})
