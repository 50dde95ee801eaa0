import { expect, test } from 'bun:test'
import { objectsOf } from '../../../src/store/backup/table-list.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { tableOwners } from '../../../tools/tidy/table-owners.ts'

/** Tables that no migration creates: the list of migrations itself, and a table of SQLite. */
const others = ['migration', 'sqlite_sequence']

test.each(['sqlite', 'postgres'] as const)('every table of %s has an owner', (kind) => {
  // The tables of single months belong to the owner of the whole table.
  const months = /_(?:rest|\d{6})$/
  const tables = objectsOf(migrations, kind).tables.filter((table) => !months.test(table))
  expect(Object.keys(tableOwners).toSorted()).toEqual([...tables, ...others].toSorted())
})
