import { describe, expect, test } from 'bun:test'
import {
  readTraceParent,
  readTraceState,
  writeTraceParent,
} from '../../../src/core/telemetry/trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const head = `${traceId}-${spanId}`

describe('traceparent', () => {
  test.each([
    [`00-${head}-01`, true],
    [`00-${head}-00`, false],
    // Flags other than the first are unknown here.
    [`00-${head}-03`, true],
    [`00-${head}-02`, false],
    // A later version may have more fields.
    [`cc-${head}-01`, true],
    [`cc-${head}-01-what-the-future-brings`, true],
  ])('%s is valid', (text, isSampled) => {
    expect(readTraceParent(text)).toEqual({ traceId, spanId, isSampled })
  })

  test.each([
    null,
    '',
    `ff-${head}-01`,
    `00-${head}-01-more`,
    `cc-${head}-01.more`,
    `00-${head}`,
    `00-${head}-1`,
    `00-${head.toUpperCase()}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    ` 00-${head}-01`,
    `00-${head}-01, 00-${head}-01`,
    `00-${head}-01${'-'.repeat(100_000)}\n`,
  ])('%s is not', (text) => {
    expect(readTraceParent(text)).toBeUndefined()
  })

  test('is written as it is read', () => {
    const text = `00-${head}-01`
    const parent = readTraceParent(text)
    expect(parent && writeTraceParent(parent)).toBe(text)
    expect(writeTraceParent({ traceId, spanId, isSampled: false })).toBe(`00-${head}-00`)
  })
})

test.each([
  ['a=b,c@d=e f', 'a=b,c@d=e f'],
  ['a'.repeat(512), 'a'.repeat(512)],
  ['a'.repeat(513), undefined],
  ['', undefined],
  ['a=\u00e4', undefined],
  [null, undefined],
])('tracestate %s', (text, expected) => {
  expect(readTraceState(text)).toBe(expected as string)
})
