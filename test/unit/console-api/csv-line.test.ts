import { expect, test } from 'bun:test'
import { csvLine } from '../../../src/console-api/rows/csv-line.ts'

const cellOf = (value: string) => csvLine([value]).slice(0, -2)

test.each([
  ['plain', 'plain'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  ['\t=1', "'\t'=1"],
  ['a "b"', '"a ""b"""'],
  ['a,=1', '"a,=1"'],
  ['a\r\n=1', '"a\r\n\'=1"'],
  // Where the comma is the decimal sign, spreadsheets split at semicolons; some split at tabs or bars.
  [';=cmd', ";'=cmd"],
  ['a;=cmd', "a;'=cmd"],
  ['a; =cmd', "a; '=cmd"],
  ['a;"=cmd"', '"a;""\'=cmd"""'],
  ['a\t@x', "a\t'@x"],
  ['a|+1', "a|'+1"],
  ['a;;-1;＠', "a;;'-1;'＠"],
  // Nothing to run.
  ['a;b', 'a;b'],
  ['x=1', 'x=1'],
  ['a-b+c@d', 'a-b+c@d'],
  ['{"amountNano":-5}', '"{""amountNano"":-5}"'],
])('the cell %j is written as %j', (value, expected) => {
  expect(cellOf(value)).toBe(expected)
})

/** However a spreadsheet splits the line, no cell begins with a character that starts a formula. */
test.each([';', '\t', '|', '\r', '\n'])('a line split at %j has no formula', (separator) => {
  const hostile = ['=', '+', '-', '@', '＝', '＋', '－', '＠'].flatMap((first) =>
    ['', ' ', '"', ' "', '\u00a0'].flatMap((before) =>
      ['', 'a', 'a"'].map((start) => `${start}${separator}${before}${first}cmd|'/C calc'!A0`),
    ),
  )
  for (const value of hostile)
    for (const cell of csvLine(['id', value, 'end']).split(separator))
      expect([value, /^[\s"]*[=+\-@＝＋－＠]/.test(cell)]).toEqual([value, false])
})

test('numbers and missing values are written as they are', () => {
  expect(csvLine([-5, null, 0])).toBe('-5,,0\r\n')
})
