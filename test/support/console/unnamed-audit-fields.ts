import { enLazy } from '../../../console/src/i18n/en-lazy.ts'
import type { Engine } from '../../../src/store/engine.ts'

/** Names below these fields belong to models, parameters and headers, not to the gateway. */
const foreign = new Set(['fallbacks', 'parameters'])

/** Fields in the audit log that the console has no name for, each with its action. */
export async function unnamedAuditFields({ db }: Engine): Promise<string[]> {
  const rows = await db.selectFrom('audit').select(['action', 'before', 'after']).execute()
  const unnamed = new Set<string>()
  const look = (action: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const [name, member] of Object.entries(value)) {
      if (!(`field.${name}` in enLazy)) unnamed.add(`${action}: ${name}`)
      if (!foreign.has(name)) look(action, member)
    }
  }
  for (const { action, before, after } of rows) {
    for (const text of [before, after]) if (text !== null) look(action, JSON.parse(text))
  }
  return [...unnamed].sort()
}
