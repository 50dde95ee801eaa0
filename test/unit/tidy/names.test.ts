import { describe, expect, test } from 'bun:test'
import { tidyProject } from '../../../tools/tidy/tidy.ts'

const code = {
  path: 'src/core/lease.ts',
  text: "export class Lease { giveBack() { return 'key_disabled' } }",
}

function deadNamesIn(path: string, text: string): string[] {
  return tidyProject([code, { path, text }]).flatMap(({ rule, message }) =>
    rule === 'dead-name' ? [message.slice(1, message.indexOf('”'))] : [],
  )
}

describe('a comment or document may name', () => {
  test.each([
    [
      'docs/a.md',
      'A `Lease` ends with `Lease.giveBack()`, see `src/core/lease.ts` or `core/lease.ts`.',
    ],
    ['docs/a.md', 'Answers 403 `key_disabled`. Write `npm run tidy` or `--flag` or `a b`.'],
    ['CHANGELOG.md', 'Removed: `OldName` in `old-file.ts`.'],
    ['docs/decisions/0001-a.md', '`OldName` was right then.'],
    ['src/core/a.ts', '/** A Lease, see lease.ts; `giveBack` ends it. */ export const a = 1'],
    ['src/core/a.ts', "// 'OldName' in quotes is a text\nexport const a = 1"],
    ['docs/a.md', 'The folder src/core/ has `src/core/<name>.ts`, as does src/core.'],
    ['tools/a.mjs', '/** @typedef {object} OwnType */ /** @type {OwnType} */ export const a = {}'],
  ])('%s: %s', (path, text) => {
    expect(deadNamesIn(path, text)).toEqual([])
  })
})

describe('names that do not exist are found', () => {
  test.each([
    ['docs/a.md', 'See `src/core/hold.ts`.', 'src/core/hold.ts'],
    ['docs/a.md', '`Lease.renew` renews it.', 'Lease.renew'],
    ['README.md', 'Answers `key_gone`.', 'key_gone'],
    ['src/core/a.ts', '/** See `hold.ts`. */ export const a = 1', 'hold.ts'],
    ['src/core/a.ts', '// as hold.ts does\nexport const a = 1', 'hold.ts'],
    ['src/core/a.ts', '// `takeBack` is in no code\nexport const a = 1', 'takeBack'],
    ['src/core/a.ts', '// The HoldDetail has it.\nexport const a = 1', 'HoldDetail'],
    ['src/core/a.ts', '/** {@link HoldDetail} has it. */ export const a = 1', 'HoldDetail'],
    ['src/core/a.ts', '/** See `src/holds/`. */ export const a = 1', 'src/holds'],
    ['src/core/a.ts', '// Other modules are in src/holds/.\nexport const a = 1', 'src/holds'],
    ['docs/a.md', 'It is in src/core/hold.ts.', 'src/core/hold.ts'],
    ['ARCHITECTURE.md', 'The folder `src/core/holds/` has it.', 'src/core/holds'],
    ['console/src/a.css', 'a { color: red } /* see hold-list.tsx */', 'hold-list.tsx'],
  ])('%s: %s', (path, text, name) => {
    expect(deadNamesIn(path, text)).toEqual([name])
  })
})

describe('an exported type has a unique name', () => {
  const typesIn = (...files: readonly (readonly [path: string, text: string])[]) =>
    tidyProject(files.map(([path, text]) => ({ path, text }))).flatMap(({ rule, path, line }) =>
      rule === 'type-names' ? [`${path}:${line}`] : [],
    )

  test.each([
    ['an interface and a type', 'export interface Route {}', 'export type Route = 1'],
    ['a class and an interface', 'export class Route {}', 'export interface Route {}'],
  ])('%s', (_, one, other) => {
    expect(typesIn(['src/core/a.ts', one], ['src/wire/b.ts', `\n${other}`])).toEqual([
      'src/wire/b.ts:2',
    ])
    expect(typesIn(['src/core/a.ts', one], ['console/src/b.ts', other])).toEqual([
      'src/core/a.ts:1',
    ])
  })

  test('but types that stay inside a file, functions and tests may share one', () => {
    const own = 'interface Route {}\nexport const a: Route = {}'
    expect(typesIn(['src/core/a.ts', 'export interface Route {}'], ['src/wire/b.ts', own])).toEqual(
      [],
    )
    const called = 'export function Route() {}'
    expect(typesIn(['src/core/a.ts', called], ['src/wire/b.ts', called])).toEqual([])
    const tested = 'export interface Route {}'
    expect(typesIn(['src/core/a.ts', tested], ['test/unit/b.ts', tested])).toEqual([])
  })
})

describe('the same job has the same file name in every protocol', () => {
  const jobsIn = (...paths: readonly string[]) =>
    tidyProject(
      paths.map((path) => ({
        path: `src/protocols/${path}`,
        text: '\nexport function decodeFinish() {}\nexport const finishWords = {}',
      })),
    ).flatMap(({ rule, path, line }) => (rule === 'job-names' ? [`${path}:${line}`] : []))

  test('functions and constants of two folders', () => {
    expect(jobsIn('messages/finish-reason.ts', 'responses/ending.ts')).toEqual([
      'src/protocols/responses/ending.ts:2',
      'src/protocols/responses/ending.ts:3',
    ])
    expect(jobsIn('messages/finish-reason.ts', 'responses/finish-reason.ts')).toEqual([])
  })

  test('also in a folder of the protocol, which has the same name too', () => {
    const inValues = 'messages/values/finish-reason.ts'
    expect(jobsIn(inValues, 'responses/values/finish-reason.ts')).toEqual([])
    expect(jobsIn(inValues, 'responses/values/ending.ts')).toHaveLength(2)
    expect(jobsIn(inValues, 'responses/decode-reply/finish-reason.ts')).toHaveLength(2)
    expect(jobsIn(inValues, 'responses/finish-reason.ts')).toHaveLength(2)
  })

  test('two files of one folder do not export the same name', () => {
    expect(jobsIn('messages/finish-reason.ts', 'messages/finish.ts')).toHaveLength(2)
  })

  test('but shared folders and the files above have names of their own', () => {
    expect(jobsIn('messages/finish-reason.ts', 'fit/fit-finish.ts', 'finish.ts')).toEqual([])
  })
})
