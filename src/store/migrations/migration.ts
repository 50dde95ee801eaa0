import { createHash } from 'node:crypto'
import type { Engine } from '../engine.ts'

/** One forward step of the schema. Its text never changes after a release: its hash is checked at each start. */
export interface Migration {
  readonly id: string
  readonly statements: readonly MigrationStatement[]
  /**
   * Set when programs that do not know this migration can still use the database: it only adds tables, indexes, and
   * columns that are nullable or have a default, or removes indexes. Such programs then start on the migrated database.
   */
  readonly isAdditive?: true
}

/** A text for both engines, or one for each named engine. */
export type MigrationStatement = string | { readonly [Kind in Engine['kind']]?: string }

export function hashOf(migration: Migration): string {
  const texts = migration.statements.flatMap((each) =>
    typeof each === 'string' ? each : Object.values(each),
  )
  return createHash('sha256').update(texts.join('\n;\n')).digest('hex')
}
