import { describe, expect, test } from 'bun:test'
import { tidyProject } from '../../../tools/tidy/tidy.ts'

const core = {
  path: 'src/core/colour.ts',
  text: "export const colours = ['red', 'green'] as const",
}
const definition = { path: 'src/keys/definition/key.ts', text: "wordKind(['soft', 'loud'])" }

function foundIn(path: string, text: string): string[] {
  return tidyProject([core, definition, { path, text }]).flatMap((each) =>
    each.rule === 'vocabulary' ? [`${each.path}:${each.line}`] : [],
  )
}

describe('the words of a vocabulary are written once', () => {
  test.each([
    ['src/gateway/a.ts', "export type Colour = 'red' | 'green'"],
    ['src/gateway/a.ts', "export const all = ['green', 'red']"],
    ['console/src/a.tsx', "export const all: readonly Colour[] = ['red', 'green']"],
    ['src/console-api/contract/a.ts', "z.enum(['red', 'green'])"],
    ['console/src/a.tsx', "export interface Values { volume: 'soft' | 'loud' }"],
    ['src/core/other.ts', "export const again = ['red', 'green'] as const"],
  ])('%s: %s', (path, text) => {
    expect(foundIn(path, text)).toEqual([`${path}:1`])
  })

  test.each([
    ['src/gateway/a.ts', "import { colours } from '../core/colour.ts'\nexport const all = colours"],
    ['src/gateway/a.ts', "export const warm = ['red']"],
    ['src/gateway/a.ts', "export const more = ['red', 'green', 'blue'] as const"],
    ['src/gateway/a.ts', "export const mixed = ['red', green]"],
    ['test/unit/a.test.ts', "export const all = ['red', 'green']"],
  ])('but %s may have %s', (path, text) => {
    expect(foundIn(path, text)).toEqual([])
  })
})
