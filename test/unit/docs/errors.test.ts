import { describe, expect, test } from 'bun:test'
import { faultCodes, faultStatus } from '../../../src/core/fault.ts'
import { isNamedInSources } from './named-in-sources.ts'
import { readDocument, sectionOf, tableRows } from './table-rows.ts'

const rows = tableRows(sectionOf(readDocument('docs/errors.md'), '## Codes'))

describe('docs/errors.md', () => {
  test.each(Object.entries(faultStatus))('%s is described with its status %i', (code, status) => {
    const [statusCell = '', meaning, whatToDo] = rows.get(code) ?? []
    expect(statusCell.split(' ')[0]).toBe(String(status))
    expect(meaning).toBeTruthy()
    expect(whatToDo).toBeTruthy()
  })

  test.each(faultCodes)('%s is the code of some refusal or failure', (code) => {
    expect(isNamedInSources(code, 'core/fault.ts')).toBeTrue()
  })

  test('describes no code that does not exist', () => {
    expect([...rows.keys()].toSorted()).toEqual(Object.keys(faultStatus).toSorted())
  })
})
