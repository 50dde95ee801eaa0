import { createHash } from 'node:crypto'

/** One forward step of the schema. Once released its text never changes: its hash is checked at each start. */
export interface Migration {
  readonly id: string
  readonly statements: readonly string[]
}

export function hashOf(migration: Migration): string {
  return createHash('sha256').update(migration.statements.join('\n;\n')).digest('hex')
}
