import { expect, test } from 'bun:test'
import { countTests } from '../../../tools/testing/count-tests.mjs'

const report = (tests: number, failures: number, skipped: number) =>
  `<?xml version="1.0"?>\n<testsuites name="bun test" tests="${tests}" assertions="9" failures="${failures}" skipped="${skipped}" time="0.1">`
const skipOnly =
  'SKIPPED: store on Postgres: no server\n\n 0 pass\n 0 fail\nRan 0 tests across 1 file.'

type Counts = readonly [passed: number, failed: number, skipped: number]
type Row = readonly [
  name: string,
  report: string | undefined,
  output: string,
  code: number,
  counts: Counts,
]

const rows: readonly Row[] = [
  ['all passed', report(5, 0, 0), ' 5 pass\n 0 fail\n', 0, [5, 0, 0]],
  ['some failed', report(5, 2, 0), ' 3 pass\n 2 fail\n', 1, [3, 2, 0]],
  ['some skipped', report(5, 0, 2), ' 3 pass\n 2 skip\n 0 fail\n', 0, [3, 0, 2]],
  ['a file failed before its first test', report(5, 1, 0), ' 4 pass\n 2 fail\n', 1, [4, 2, 0]],
  ['only the exit code shows a failure', report(5, 0, 0), ' 5 pass\n 0 fail\n', 1, [5, 1, 0]],
  ['a test ended the process', undefined, '', 0, [0, 1, 0]],
  ['a test ended the process after a skip', undefined, 'SKIPPED: a: b\n', 0, [0, 1, 0]],
  ['Bun crashed', undefined, 'panic', 139, [0, 1, 0]],
  ['no test was found', undefined, 'Ran 0 tests across 0 files.', 0, [0, 1, 0]],
  ['all skipped, as reported', undefined, skipOnly, 0, [0, 0, 0]],
]

test('tests chosen by name: the others do not count as skipped, and there may be no match', () => {
  const chosen = (reportText: string | undefined, output: string, code = 0) =>
    countTests(reportText, output, code, true)
  expect(chosen(report(5, 0, 4), ' 1 pass\n 4 filtered out\n 0 fail\n')).toEqual({
    passed: 1,
    failed: 0,
    skipped: 0,
  })
  const none = { passed: 0, failed: 0, skipped: 0 }
  expect(chosen(undefined, ' 0 pass\nRan 0 tests across 1 file.')).toEqual(none)
  expect(chosen(undefined, '').failed).toBe(1)
  expect(chosen(undefined, 'Ran 0 tests across 1 file.', 1).failed).toBe(1)
})

test.each(rows)('%s', (_name, reportText, output, code, [passed, failed, skipped]) => {
  expect(countTests(reportText, output, code)).toEqual({ passed, failed, skipped })
})
