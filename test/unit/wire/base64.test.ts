import { expect, test } from 'bun:test'
import { standardBase64 } from '../../../src/wire/base64.ts'

const rows: readonly (readonly [why: string, sent: string, meant: string])[] = [
  ['already standard', '+/+/AAAA', '+/+/AAAA'],
  ['empty', '', ''],
  ['the URL-safe alphabet', '-_-_AAAA', '+/+/AAAA'],
  ['both alphabets', '-/+_AAAA', '+/+/AAAA'],
  ['no padding, two characters missing', '-_-_AA', '+/+/AA=='],
  ['no padding, one character missing', '-_-_AAA', '+/+/AAA='],
  ['padding kept', '-_-_AA==', '+/+/AA=='],
  ['half of the padding', '-_-_AA=', '+/+/AA=='],
  ['line breaks', '+/+/\r\nAAAA\n', '+/+/AAAA'],
  ['percent-encoded', '%2B%2F%2b%2fAA%3D%3D', '+/+/AA=='],
  ['not base64: a comma', 'AA,A', 'AA,A'],
  ['not base64: padding in the middle', 'AA==AA', 'AA==AA'],
  ['not base64: an impossible length', 'AAAAA', 'AAAAA'],
  ['not base64: a stray percent sign', 'AA%ZZ', 'AA%ZZ'],
]

for (const [why, sent, meant] of rows)
  test(`base64: ${why}`, () => expect(standardBase64(sent)).toBe(meant))
