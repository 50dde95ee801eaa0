import type { Engine } from '../store/engine.ts'

type Db = Engine['db']

/** So many rows are read and turned over at a time. */
const pageRows = 200
/** A reading during which something changed is begun again, so many times at most. */
const triesMax = 5

/** Changes went on while the state was read, each time. */
export class StateInMotion extends Error {
  override readonly name = 'StateInMotion'
}

/** What `read` finds, all of one moment: every change of settings stands in the audit log, so none came in between. */
export async function readAtRest<State>(db: Db, read: () => Promise<State>): Promise<State> {
  for (let tryNumber = 1; tryNumber <= triesMax; tryNumber += 1) {
    const before = await lastChange(db)
    const state = await read()
    if ((await lastChange(db)) === before) return state
  }
  throw new StateInMotion('the settings were changed again and again while they were read')
}

async function lastChange(db: Db): Promise<number> {
  const row = await db
    .selectFrom('audit')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirst()
  return Number(row?.seq ?? 0)
}

/** Everything, in pages; `read` is asked for the rows after an id. */
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
