import type { Engine } from '../store/engine.ts'

type Db = Engine['db']

/** The number of rows read and converted at a time. */
const pageRows = 200
/** The number of attempts to read the state without a change in between. */
const triesMax = 5

/** The state changed during each attempt to read it. */
export class StateChanging extends Error {
  override readonly name = 'StateChanging'
}

/**
 * The result of `read` for one moment. The audit log records every change of settings, so a log without new entries
 * proves that nothing changed during the read.
 */
export async function readConsistently<State>(db: Db, read: () => Promise<State>): Promise<State> {
  for (let tryNumber = 1; tryNumber <= triesMax; tryNumber += 1) {
    const before = await lastChange(db)
    const state = await read()
    if ((await lastChange(db)) === before) return state
  }
  throw new StateChanging('the settings kept changing while they were read')
}

async function lastChange(db: Db): Promise<number> {
  const row = await db
    .selectFrom('audit')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirst()
  return Number(row?.seq ?? 0)
}

/** Reads all rows in pages; `read` returns the rows after an id. */
export async function readAll<Row>(
  read: (afterId: string, rowsMax: number) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
): Promise<Row[]> {
  const all: Row[] = []
  for (let afterId = ''; ; ) {
    const page = await read(afterId, pageRows)
    for (const row of page) all.push(row)
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) return all
    afterId = idOf(last)
  }
}
