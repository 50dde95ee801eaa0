import type { Engine } from '../engine.ts'
import { textsOf } from '../migrations/migrate.ts'
import type { Migration } from '../migrations/migration.ts'

const made = /\b(CREATE|DROP) (TABLE|FUNCTION) (?:IF (?:NOT )?EXISTS )?([a-z_]+)/g

/** The tables and functions that a list of migrations leaves behind, in the order of their creation. */
export function objectsOf(
  list: readonly Migration[],
  kind: Engine['kind'],
): { readonly tables: readonly string[]; readonly functions: readonly string[] } {
  const found = { TABLE: new Set<string>(), FUNCTION: new Set<string>() }
  for (const text of list.flatMap((migration) => textsOf(migration, kind))) {
    for (const [, verb, noun = '', name = ''] of text.matchAll(made)) {
      const names = noun === 'TABLE' ? found.TABLE : found.FUNCTION
      if (verb === 'CREATE') names.add(name)
      else names.delete(name)
    }
  }
  return { tables: [...found.TABLE], functions: [...found.FUNCTION] }
}
