import { expect, test } from 'bun:test'
import { standardBase64 } from '../../../src/wire/base64.ts'

const rows: readonly (readonly [why: string, sent: string, meant: string])[] = [
  ['as it should be', '+/+/AAAA', '+/+/AAAA'],
  ['empty', '', ''],
  ['the URL-safe alphabet', '-_-_AAAA', '+/+/AAAA'],
  ['both alphabets', '-/+_AAAA', '+/+/AAAA'],
  ['no padding, two short', '-_-_AA', '+/+/AA=='],
  ['no padding, one short', '-_-_AAA', '+/+/AAA='],
  ['padding kept', '-_-_AA==', '+/+/AA=='],
  ['half of the padding', '-_-_AA=', '+/+/AA=='],
  ['line breaks', '+/+/\r\nAAAA\n', '+/+/AAAA'],
  ['percent signs of a URL', '%2B%2F%2b%2fAA%3D%3D', '+/+/AA=='],
  ['no base64: a comma', 'AA,A', 'AA,A'],
  ['no base64: padding inside', 'AA==AA', 'AA==AA'],
  ['no base64: a length that cannot be', 'AAAAA', 'AAAAA'],
  ['no base64: a stray percent sign', 'AA%ZZ', 'AA%ZZ'],
]

for (const [why, sent, meant] of rows)
  test(`base64: ${why}`, () => expect(standardBase64(sent)).toBe(meant))
