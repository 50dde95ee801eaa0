import { describe, expect, test } from 'bun:test'
import { listFailures } from '../../../tools/testing/list-failures.mjs'
import { listSuites, type Suite } from '../../../tools/testing/list-suites.mjs'
import { planParts } from '../../../tools/testing/plan-parts.mjs'
import { readArguments } from '../../../tools/testing/read-arguments.mjs'

const suite = (name: string): Suite => {
  const found = listSuites().find((each) => each.name === name)
  if (!found) throw new Error(`there is no suite ${name}`)
  return found
}
const filesOf = (name: string, filters: string[], names?: string) =>
  planParts(suite(name), filters, names).flatMap(({ files }) => files)

describe('parts of a suite', () => {
  test('have every file once, whatever their number', () => {
    for (const each of listSuites()) {
      const planned = planParts(each, [], undefined).flatMap(({ files }) => files)
      expect(planned.toSorted()).toEqual(each.files.map(({ path }) => path).toSorted())
    }
  })

  test('take about the same time, by the seconds of their files or else by their size', () => {
    const path = (name: string) => `test/made/${name}.test.ts`
    const slow = 'test/process/replicas/rolling-restart.test.ts'
    const files = [
      { path: path('large'), bytes: 40_000 },
      { path: slow, bytes: 10 },
      { path: path('middle'), bytes: 24_000 },
      { path: path('small'), bytes: 8_000 },
    ]
    const parts = planParts({ name: 'made', parts: 2, needs: [], files }, [], undefined)
    expect(parts.map((part) => part.files)).toEqual([
      [slow],
      [path('large'), path('middle'), path('small')],
    ])
  })

  test('by a path: the files that have it, and nothing else', () => {
    expect(filesOf('unit', ['test/unit/tools/plan-parts.test.ts'])).toEqual([
      'test/unit/tools/plan-parts.test.ts',
    ])
    expect(filesOf('scenario', ['test/unit/tools/plan-parts.test.ts'])).toEqual([])
  })

  test('by a folder of the suite, at any depth: the files below it', () => {
    const consoleFiles = filesOf('scenario', ['test/scenario/console'])
    expect(consoleFiles).toContain('test/scenario/console/access/matrix.test.ts')
    expect(consoleFiles.filter((path) => !path.startsWith('test/scenario/console/'))).toEqual([])
    expect(filesOf('scenario', ['test/scenario/console/'])).toEqual(consoleFiles)
    expect(filesOf('scenario', ['console/sign-in']).toSorted()).toEqual(
      consoleFiles.filter((path) => path.includes('/sign-in/')).toSorted(),
    )
    expect(filesOf('scenario', ['admin-matrix.test.ts'])).toEqual([
      'test/scenario/admin-api/admin-matrix.test.ts',
    ])
  })

  test('no two files of a suite with folders by subject have the same base name', () => {
    for (const name of ['scenario', 'store', 'process', 'browser']) {
      const bases = suite(name).files.map(({ path }) => path.split('/').at(-1))
      expect(bases.filter((base, index) => bases.indexOf(base) !== index)).toEqual([])
    }
  })

  test('by a folder of the sources: its own tests, and those that import from it', () => {
    const files = filesOf('unit', ['src/ledger'])
    expect(files).toContain('test/unit/ledger/give-back.test.ts')
    expect(files).not.toContain('test/unit/core/money.test.ts')
    expect(filesOf('store', ['src/ledger'])).toContain('test/store/audit/audit-ledger.test.ts')
  })

  test('by a word: files that have it run whole, of the others the tests whose name has it', () => {
    const parts = planParts(suite('unit'), ['messages'], undefined)
    const whole = parts.filter(({ names }) => names === undefined).flatMap(({ files }) => files)
    const byName = parts.filter(({ names }) => names === 'messages').flatMap(({ files }) => files)
    expect(whole.length).toBeGreaterThan(0)
    expect(whole.filter((path) => !path.includes('messages'))).toEqual([])
    expect(byName.filter((path) => path.includes('messages'))).toEqual([])
    expect(new Set([...whole, ...byName]).size).toBe(whole.length + byName.length)
  })
})

describe('by a word, a file without it in its path is loaded', () => {
  const loaded = (path: string, word: string) => filesOf('unit', [word]).includes(path)
  test.each([
    ['its own text has the word', 'test/unit/core/money.test.ts', 'decimals'],
    ['a table of a source has it', 'test/unit/gateway/lean-body.test.ts', 'generate-content'],
    [
      'test code that it imports reads files',
      'test/unit/protocols/recorded-streams.test.ts',
      'zebra',
    ],
    ['the word has a number, which may be computed', 'test/unit/core/money.test.ts', 'zebra7'],
  ])('if %s', (_, path, word) => {
    expect(loaded(path, word)).toBe(true)
  })

  test('and otherwise not: none of its tests can have the word in its name', () => {
    expect(loaded('test/unit/core/money.test.ts', 'zebra')).toBe(false)
  })
})

test('words that name a step choose it, all others are filters', () => {
  const chosen = readArguments(['unit', 'src/ledger', '--name', 'a b', '--watch'], ['unit', 'lint'])
  expect(chosen).toEqual({
    steps: ['unit'],
    filters: ['src/ledger'],
    names: 'a b',
    isWatching: true,
    lanes: undefined,
  })
})

test('a failure comes with the command that repeats just that test', () => {
  const report = `<testsuites tests="3" failures="2"><testsuite>
    <testcase name="fine" classname="a" time="0.1" file="test/store/x.test.ts" line="1" />
    <testcase name="costs $2 (or &quot;more&quot;)" classname="on sqlite &gt; a group" time="0.1" file="test/store/x.test.ts" line="2">
      <failure type="AssertionError" />
    </testcase>
    <testcase name="it’s late" classname="" time="0.1" file="test/store/y.test.ts" line="3"><failure type="x">why</failure></testcase>
  </testsuite></testsuites>`
  expect(listFailures(report, 'store')).toEqual([
    `npm test -- store test/store/x.test.ts --name 'on sqlite a group costs \\$2 \\(or "more"\\)'`,
    `npm test -- store test/store/y.test.ts --name 'it’s late'`,
  ])
})
