import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const consoleSources = join(import.meta.dirname, '..', '..', '..', 'console', 'src')
const sources = [...new Glob('**/*.{ts,tsx}').scanSync(consoleSources)].map((path) => ({
  path,
  text: readFileSync(join(consoleSources, path), 'utf8'),
}))

/** Pages that a person opens from an email instead of from another page. */
const fromOutside = new Set(['/invitation', '/new-password'])

const pathsIn = (folder: string) =>
  sources
    .filter(({ path }) => path.startsWith(folder))
    .flatMap(({ text }) => [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path))
const paths = pathsIn('routes/').filter((path) => !fromOutside.has(path))

test('there are pages', () => {
  expect(paths).toContain('/keys')
  expect(paths).toContain('/operate/upstreams')
})

/** A page without a menu entry or another link opens only for users who know its URL. */
test.each(paths)('the menu or another page links to %s', (path) => {
  const link = new RegExp(`\\bto(?:: |=)(?:\\w+ \\? )?["']${path}["']`)
  const linking = sources.filter((source) => !source.path.startsWith('routes/'))
  expect(linking.filter(({ text }) => link.test(text)).length).toBeGreaterThan(0)
})

const browserTests = join(import.meta.dirname, '..', '..', 'browser')
const listed = (file: string, path: string) =>
  new RegExp(`'${path}['?]`).test(readFileSync(join(browserTests, file), 'utf8'))

const shellPaths = ['routes/page-routes.ts', 'routes/operator-routes.ts'].flatMap(pathsIn)

/** Their lists are written by hand, because most pages need an account or a row to show. */
test.each(shellPaths)('the browser tests of looks, axe and Chinese open %s', (path) => {
  const unlisted = ['whole-console/accessibility.test.ts', 'whole-console/chinese.test.ts'].filter(
    (file) => !listed(file, path),
  )
  expect(listed('page/operator-pages.ts', path) ? [] : unlisted).toEqual([])
})
