import { createHash } from 'node:crypto'

/** One forward step of the schema. Once released its text never changes: its hash is checked at each start. */
export interface Migration {
  readonly id: string
  readonly statements: readonly MigrationStatement[]
}

/** A text for both engines, or for the one that it names. */
export type MigrationStatement = string | { readonly postgres: string }

export function hashOf(migration: Migration): string {
  const texts = migration.statements.map((each) =>
    typeof each === 'string' ? each : each.postgres,
  )
  return createHash('sha256').update(texts.join('\n;\n')).digest('hex')
}
