import type { Fixture } from './fixture.ts'
import { type BenchDatabases, openBenchDatabases } from './ledger/bench-databases.ts'
import type { LedgerFigures, LedgerVersion } from './ledger/ledger-case.ts'
import { measureCase } from './ledger/measure-case.ts'
import { median } from './median.ts'
import type { Goal, Outcome, Row } from './scenario.ts'

const manyKeys = 100
const keyCounts = [1, manyKeys] as const
/** With 1,000 keys, hardly any request finds the index pages of its key already changed. */
const shippedKeyCounts = [...keyCounts, 1_000] as const

/** The cost of the ledger per request, compared with one transaction for each hold and each settlement. */
export function runLedgerScenario(fixture: Fixture): Promise<Outcome> {
  return withDatabases(fixture, async (databases) => {
    const rows: Row[] = []
    const goals: Goal[] = []
    for (const database of databases) {
      const measured = await measureCosts(fixture, database)
      const of = (version: LedgerVersion, keys: number): LedgerFigures[] =>
        measured.get(nameOf(version, keys)) ?? []
      for (const [name, figures] of measured) {
        rows.push({ target: `${database.kind}, ${name}`, figures: tableFigures(figures) })
      }
      const ratio = (left: readonly LedgerFigures[], right: readonly LedgerFigures[]): number =>
        median(left.map((each, at) => each.mainMicroseconds / (right[at]?.mainMicroseconds ?? 0)))
      const main = of('leases', 1).map((each) => each.mainMicroseconds)
      const title = `of the main thread, ${database.kind}`
      goals.push(
        { title: `admission and settlement ${title}`, value: median(main), atMost: 10, unit: 'µs' },
        {
          title: `leases / a transaction each, ${title}`,
          value: ratio(of('leases', 1), of('simple', 1)),
          atMost: 0.5,
          unit: 'x',
        },
        {
          title: `one hot key / ${manyKeys} keys, ${title}`,
          value: ratio(of('leases', 1), of('leases', manyKeys)),
          atMost: 1.25,
          unit: 'x',
        },
      )
    }
    const title = 'a hold and a settlement, 32 concurrent requests, CPU µs per request'
    return { scenario: 'ledger', title, rows, goals }
  })
}

/** The cost of shipping settlements to the database under high load. */
export function runShipperScenario(fixture: Fixture): Promise<Outcome> {
  return withDatabases(fixture, async (databases) => {
    const rows: Row[] = []
    const goals: Goal[] = []
    for (const database of databases) {
      for (const keys of shippedKeyCounts) {
        const figures = await repeat(fixture, async () =>
          measureCase({ ...(await database.fresh()), kind: 'ship', keys }),
        )
        const target = `${database.kind}, ${keysText(keys)}`
        const row = tableFigures(figures)
        rows.push({ target, figures: row })
        const all = median(figures.map((each) => each.allMicroseconds))
        const main = median(figures.map((each) => each.mainMicroseconds))
        goals.push(
          { title: `shipper, all threads, ${target}`, value: all, atMost: 20, unit: 'µs' },
          { title: `shipper, main thread, ${target}`, value: main, atMost: 2, unit: 'µs' },
        )
      }
    }
    const title = 'settlements to the database in batches of 4,096, CPU µs per request'
    return { scenario: 'shipper', title, rows, goals }
  })
}

/** The time that an answer waits for durability, compared with the time of one sync of the disk. */
export async function runDurabilityScenario(fixture: Fixture): Promise<Outcome> {
  const [sqlite, ...others] = await openBenchDatabases(fixture.folder)
  for (const other of others) await other.end()
  if (!sqlite) throw new Error('there is no database to measure with')
  const wait = (durability: 'journal' | 'fsync') =>
    repeat(fixture, async () =>
      measureCase({ ...(await sqlite.fresh()), kind: 'wait', durability }),
    )
  const journal = await wait('journal')
  const fsync = await wait('fsync')
  const rowOf = (target: string, figures: typeof journal): Row => ({
    target,
    figures: {
      'p50 wait ms': median(figures.map((each) => each.waitMs)),
      'p50 sync ms': median(figures.map((each) => each.syncMs)),
    },
  })
  return {
    scenario: 'durability',
    title: 'wait of one request for the journal, and the time of one disk sync',
    rows: [rowOf('journal', journal), rowOf('fsync', fsync)],
    goals: [
      {
        title: 'p50 added by durability journal',
        value: median(journal.map((each) => each.waitMs)),
        atMost: 0.1,
        unit: 'ms',
      },
      {
        // The write itself belongs to the journal, and both variants contain it.
        title: 'p50 added by durability fsync to that of journal / a sync of the disk',
        value:
          (median(fsync.map((each) => each.waitMs)) - median(journal.map((each) => each.waitMs))) /
          median(fsync.map((each) => each.syncMs)),
        atMost: 1,
        unit: 'x',
      },
    ],
  }
}

async function withDatabases(
  fixture: Fixture,
  work: (databases: readonly BenchDatabases[]) => Promise<Outcome>,
): Promise<Outcome> {
  const databases = await openBenchDatabases(fixture.folder)
  try {
    return await work(databases)
  } finally {
    for (const database of databases) await database.end()
  }
}

/** The figures of each version and number of keys, one per round; the cases alternate in each round. */
async function measureCosts(
  fixture: Fixture,
  database: BenchDatabases,
): Promise<Map<string, LedgerFigures[]>> {
  const measured = new Map<string, LedgerFigures[]>()
  for (let round = 0; round < fixture.options.rounds; round += 1) {
    for (const version of ['leases', 'simple'] as const) {
      for (const keys of keyCounts) {
        const name = nameOf(version, keys)
        const figures = measured.get(name) ?? []
        const place = await database.fresh()
        figures.push(await measureCase({ ...place, kind: 'cost', version, keys }))
        measured.set(name, figures)
      }
    }
  }
  return measured
}

async function repeat<Figures>(fixture: Fixture, work: () => Promise<Figures>): Promise<Figures[]> {
  const all: Figures[] = []
  for (let round = 0; round < fixture.options.rounds; round += 1) all.push(await work())
  return all
}

function nameOf(version: LedgerVersion, keys: number): string {
  return `${version === 'leases' ? 'leases' : 'a transaction each'}, ${keysText(keys)}`
}

function keysText(keys: number): string {
  return keys === 1 ? 'one key' : `${keys} keys`
}

function tableFigures(figures: readonly LedgerFigures[]): Record<string, number> {
  return {
    'main thread': median(figures.map((each) => each.mainMicroseconds)),
    'all threads': median(figures.map((each) => each.allMicroseconds)),
    'requests/s': median(figures.map((each) => each.requestsPerSecond)),
  }
}
