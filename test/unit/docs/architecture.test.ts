import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { importTable } from '../../../tools/tidy/import-table.ts'
import { readDocument, sectionOf, tableRows } from './table-rows.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const documents = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'STYLE.md', 'README.md']
const decisions = readdirSync(join(root, 'docs', 'decisions')).map(
  (name) => `docs/decisions/${name}`,
)

describe('ARCHITECTURE.md', () => {
  const rows = tableRows(sectionOf(readDocument('ARCHITECTURE.md'), '## Modules'))

  test.each(Object.entries(importTable))('the module %s imports what tidy allows', (name, room) => {
    const imports = room.imports === 'every' ? ['every module'] : room.imports
    const expected = imports.length === 0 ? 'nothing' : imports.join(', ')
    expect(rows.get(name)?.[1]).toBe(expected)
  })

  test('describes no module that does not exist', () => {
    expect([...rows.keys()].toSorted()).toEqual(Object.keys(importTable).toSorted())
  })
})

/** Made by a build: not there in a fresh clone. */
const builtFolders = ['console/dist']

describe('files that the papers name', () => {
  test.each([...documents, ...decisions])('%s names no file that is not there', (document) => {
    const text = readDocument(document)
    const named = text.matchAll(/`((?:src|test|tools|bench|console|docs)\/[\w./-]*)`/g)
    const missing = [...named].flatMap(([, path = '']) =>
      existsSync(join(root, path)) || builtFolders.includes(path) ? [] : [path],
    )
    expect(missing).toEqual([])
  })
})
