import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')
const transpiler = new Bun.Transpiler({ loader: 'ts' })

/** The modules that a module loads at once: without types and dynamic imports. */
function loadedWith(path: string): string[] {
  return transpiler
    .scanImports(readFileSync(join(root, path), 'utf8'))
    .filter(({ kind }) => kind === 'import-statement')
    .map((each) => each.path)
}

/** Every module that a start loads before it does anything, and everything that these import. */
function loadedAtStart(): Set<string> {
  const loaded = new Set(['src/main.ts'])
  for (const path of loaded) {
    if (!path.endsWith('.ts')) continue
    for (const name of loadedWith(path)) {
      loaded.add(name.startsWith('.') ? relative(root, join(root, dirname(path), name)) : name)
    }
  }
  return loaded
}

test('a start loads no part of the console and of features that most gateways never use', () => {
  const loaded = [...loadedAtStart()]
  expect(loaded).toContain('src/app/serve.ts')
  expect(loaded).toContain('kysely')
  const late = /^src\/console-api\/|^src\/demo\/|^(hono|openid-client|@pydantic\/genai-prices)$/
  // Every start adds or removes the demo's routes. The root paths are constants.
  const early = ['src/console-api/root-paths.ts', 'src/demo/apply-demo.ts']
  expect(loaded.filter((path) => late.test(path))).toEqual(early)
  expect(loaded).not.toContain('node:http')
  expect(loaded).not.toContain('node:readline')
})
