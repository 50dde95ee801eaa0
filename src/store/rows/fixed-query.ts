import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** No null: a comparison with null is another query. */
type QueryValues = Readonly<Record<string, string | number>>

type Selection<Row> = Compilable<Row> & { readonly isSelectQueryBuilder: true }

/** Stands for a value while a query is built. The builder can only bind it: the value itself is not known yet. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`a fixed query can bind the value ${this.name}, but not calculate with it`)
  }
}

/**
 * A query whose text depends on nothing but the engine, for those that run with every call: it is built and compiled
 * once for each database, and then only gets its values. Building takes up to twenty times as long as sending.
 */
export function fixedQuery<Values extends QueryValues, Row>(
  build: (db: Kysely<Tables>, values: Values) => Selection<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<Row[]> {
  // A transaction has the adapter of its database.
  const compiledFor = new WeakMap<object, CompiledQuery<Row>>()
  const compileFor = (db: Kysely<Tables>): CompiledQuery<Row> => {
    const { adapter, plugins } = db.getExecutor()
    // A plugin sees every query and may change it, so its queries are built each time.
    const isKept = plugins.length === 0
    const kept = isKept ? compiledFor.get(adapter) : undefined
    if (kept) return kept
    const compiled = build(db, placeholders<Values>()).compile()
    if (isKept) compiledFor.set(adapter, compiled)
    return compiled
  }
  return async (db, values) => {
    const compiled = compileFor(db)
    const parameters = compiled.parameters.map((each) =>
      each instanceof Placeholder ? values[each.name] : each,
    )
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters })
    return rows
  }
}

/** Every member is a placeholder with its name. */
function placeholders<Values extends QueryValues>(): Values {
  return new Proxy({} as Values, { get: (_, name) => new Placeholder(String(name)) })
}
