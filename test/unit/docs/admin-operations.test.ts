import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { adminRoutes } from '../../../src/console-api/admin/admin-routes.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const documents = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('decisions'))
    .map((name) => join('docs', name)),
]
const operations = new Set(adminRoutes.map(({ route, path }) => `${route.method} ${path}`))
/** Paths that are not of the admin API. */
const isOther = (path: string) => /^\/(?:v1(?:alpha|beta)?\/|healthz|readyz|metrics)/.test(path)

test.each(documents)('%s names only operations that the admin API has', (name) => {
  const text = readFileSync(join(root, name), 'utf8')
  const named = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`\s?]*)/g)]
    .filter(([, , path = '']) => !isOther(path))
    .map(([, method, path = '']) => `${method} ${path.replace(/^\/admin\/v1/, '')}`)
  expect(named.filter((operation) => !operations.has(operation))).toEqual([])
})
