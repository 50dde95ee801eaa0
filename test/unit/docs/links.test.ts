import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
  '.github/pull_request_template.md',
]
/** Its old entries name files of their time. */
const history = ['CHANGELOG.md']
/** Created by a build or a start, so missing in a fresh clone. */
const made = ['build', 'build/main.js', 'console/dist', 'data', 'data/secret']

const namedPath = /`((?:src|test|tools|bench|console|docs|\.github|\.ci)\/[\w./-]*)`/g
const link = /\]\(([^)\s]+)\)/g

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The anchors that the hosting site creates for headings. */
function anchorsOf(path: string): Set<string> {
  const headings = read(path).matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  )
}

function deadLinksOf(document: string): string[] {
  const prose = read(document).replace(/^```[\s\S]*?^```/gm, '')
  return [...prose.matchAll(link)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return []
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? document : normalize(join(dirname(document), path))
    if (!existsSync(join(root, file))) return [target]
    return anchor !== undefined && !anchorsOf(file).has(anchor) ? [target] : []
  })
}

describe('documents', () => {
  test.each(documents)('%s links only to files and headings that exist', (document) => {
    expect(deadLinksOf(document)).toEqual([])
  })

  test.each(documents.filter((path) => !history.includes(path)))(
    '%s names only paths that exist',
    (document) => {
      const missing = [...read(document).matchAll(namedPath)].flatMap(([, path = '']) =>
        existsSync(join(root, path)) || made.includes(path) ? [] : [path],
      )
      expect(missing).toEqual([])
    },
  )
})

describe('docs/glossary.md', () => {
  const terms = [...read('docs/glossary.md').matchAll(/^## (.+)$/gm)].map(([, term = '']) => term)

  test('has every term once, in order', () => {
    expect(terms).toEqual(
      [...new Set(terms)].toSorted((one, other) => one.localeCompare(other, 'en')),
    )
  })

  test.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])(
    'is linked from %s',
    (document) => {
      expect(read(document).includes('(docs/glossary.md')).toBeTrue()
    },
  )
})
