import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findItems } from '../../../src/wire/find-items.ts'
import { parseJson } from '../../../src/wire/json.ts'

test.each([undefined, 2])(
  'the items of any list are found at their positions, indent %p',
  (indent) => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (list) => {
        const text = JSON.stringify(list, undefined, indent)
        const found = findItems(text).map(({ start, end }) => parseJson(text.slice(start, end)))
        expect(found).toEqual(JSON.parse(JSON.stringify(list)))
      }),
    )
  },
)
