import { expect, test } from 'bun:test'
import { throttled } from '../../../console/src/playground/throttled.ts'

function open() {
  const drawn: number[] = []
  const rests: (() => void)[] = []
  let value = 0
  const picture = throttled(
    () => drawn.push(value),
    (over) => rests.push(over),
  )
  return {
    drawn,
    change: (next: number) => {
      value = next
      picture.soon()
    },
    now: picture.now,
    endRest: () => rests.splice(0).map((over) => over()),
  }
}

test('the first change is drawn at once, and later changes of the interval together, in their last state', () => {
  const { drawn, change, endRest } = open()
  change(1)
  expect(drawn).toEqual([1])
  change(2)
  change(3)
  expect(drawn).toEqual([1])
  endRest()
  expect(drawn).toEqual([1, 3])
})

test('without a change nothing is drawn, and the next one is drawn at once', () => {
  const { drawn, change, endRest } = open()
  change(1)
  endRest()
  endRest()
  expect(drawn).toEqual([1])
  change(2)
  expect(drawn).toEqual([1, 2])
})

test('the end is drawn at once, and not again after the interval', () => {
  const { drawn, change, now, endRest } = open()
  change(1)
  change(2)
  now()
  expect(drawn).toEqual([1, 2])
  endRest()
  expect(drawn).toEqual([1, 2])
})
