import { describe, expect, test } from 'bun:test'
import { importTable } from '../../../tools/tidy/import-table.ts'
import { readDocument, sectionOf, tableRows } from './table-rows.ts'

describe('ARCHITECTURE.md', () => {
  const rows = tableRows(sectionOf(readDocument('ARCHITECTURE.md'), '## Modules'))

  test.each(Object.entries(importTable))('the module %s imports what tidy allows', (name, rule) => {
    const imports = rule.imports === 'every' ? ['every module'] : rule.imports
    const expected = imports.length === 0 ? 'nothing' : imports.join(', ')
    expect(rows.get(name)?.[1]).toBe(expected)
  })

  test('describes no module that does not exist', () => {
    expect([...rows.keys()].toSorted()).toEqual(Object.keys(importTable).toSorted())
  })
})
