import type { Kysely, KyselyPlugin, Transaction } from 'kysely'
import type { Engine } from '../../../src/store/engine.ts'
import type { Tables } from '../../../src/store/tables/tables.ts'

/**
 * The same engine with a moment before each transaction and after each statement outside of one, in which other
 * processes may work. Within a transaction of SQLite they would only wait for its end.
 */
export function steppedEngine(engine: Engine, step: () => Promise<void>): Engine {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await step()
      return result
    },
  }
  const transaction = () => ({
    execute: async <Value>(work: (tx: Transaction<Tables>) => Promise<Value>) => {
      await step()
      return engine.db.transaction().execute(work)
    },
  })
  const db = new Proxy(engine.db.withPlugin(plugin), {
    get: (target, name) => {
      if (name === 'transaction') return transaction
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  }) satisfies Kysely<Tables>
  return { ...engine, db }
}
