// Measures one case of the ledger alone in this process, and prints the figures as JSON.
import { mkdirSync } from 'node:fs'
import { openLedger } from '../../src/app/node/open-ledger.ts'
import type { Durability } from '../../src/core/runtime/durability.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { settleShapes } from '../../src/ledger/journal/settle-record.ts'
import type { Engine } from '../../src/store/engine.ts'
import { migrations } from '../../src/store/migrations/list.ts'
import { migrate } from '../../src/store/migrations/migrate.ts'
import { openStore } from '../../src/store/open-store.ts'
import { GroupCommit } from '../../src/store/units/group-commit.ts'
import { usageShapes } from '../../src/usage/usage-shapes.ts'
import { openBenchAccounts } from './bench-accounts.ts'
import { type BenchLedger, holdIn, measureCost } from './drive.ts'
import type { LedgerCase, LedgerFigures, WaitFigures } from './ledger-case.ts'
import { measureShipping } from './measure-shipping.ts'
import { measureWait } from './measure-wait.ts'
import { openSimpleLedger } from './simple-ledger.ts'

const requestsWithLeases = 30_000
/** One transaction per request takes so much longer that this case uses fewer requests. */
const simpleRequests = { sqlite: 6_000, postgres: 1_500 }
const journalBytesMax = 1024 * 1024 * 1024

const given = JSON.parse(process.argv[2] ?? '') as LedgerCase
const engine = await openStore(given.databaseUrl)
await migrate(engine, migrations, Date.now())
await openBenchAccounts(engine, 'keys' in given ? given.keys : 1)
await engine.defineShapes([...settleShapes, ...usageShapes])
process.stdout.write(`${JSON.stringify(await measureCase(engine, given))}\n`)
process.exit(0)

async function measureCase(
  engine: Engine,
  given: LedgerCase,
): Promise<LedgerFigures | WaitFigures> {
  switch (given.kind) {
    case 'ship':
      return measureShipping(engine, given.keys)
    case 'wait':
      return measureWait(await openLeaseLedger(given.durability), given.folder)
    case 'cost':
      return given.version === 'leases'
        ? measureCost(await openLeaseLedger('journal'), given.keys, requestsWithLeases)
        : measureCost(
            openSimpleLedger(new GroupCommit(engine)),
            given.keys,
            simpleRequests[engine.kind],
          )
  }
}

async function openLeaseLedger(durability: Durability): Promise<BenchLedger> {
  const complain = (event: string, fields?: unknown): void => console.error(event, fields)
  const ignore = (): void => undefined
  const journalFolder = `${given.folder}/journal`
  mkdirSync(journalFolder, { recursive: true })
  const ledger = await openLedger({
    engine,
    clock: systemClock,
    log: { isOn: () => false, debug: ignore, info: ignore, warn: complain, error: complain },
    replica: 'bench',
    journalFolder,
    durability,
    journalBytesMax,
    onDiskError: (error) => complain('disk_error', error),
  })
  return {
    reserve: (request) => {
      const verdict = ledger.reserve(request)
      return verdict instanceof Promise ? verdict.then(holdIn) : holdIn(verdict)
    },
    shipped: () => ledger.shipped(),
  }
}
