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

const paths = sources
  .filter(({ path }) => path.startsWith('routes/'))
  .flatMap(({ text }) => [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path))
  .filter((path) => !fromOutside.has(path))

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
