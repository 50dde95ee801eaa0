import { tmpdir } from 'node:os'
import type { Clock } from '../../src/core/time/clock.ts'
import { openFileJournal } from '../../src/ledger/journal/file-journal.ts'
import type { Journal } from '../../src/ledger/journal/journal.ts'
import { openLife } from '../../src/ledger/journal/open-life.ts'
import { recoverDead } from '../../src/ledger/journal/recover.ts'
import { LeaseLedger } from '../../src/ledger/leases/lease-ledger.ts'
import type { LeaseOwner } from '../../src/ledger/leases/lease-units.ts'
import type { Engine } from '../../src/store/engine.ts'
import { GroupCommit } from '../../src/store/units/group-commit.ts'
import type { MemoryDisk } from '../support/ledger/memory-disk.ts'

/** One life of a process: its ledger, with periodic work that runs when the test calls it. */
export interface LedgerProcess {
  readonly ledger: LeaseLedger
  readonly journal: Journal
  readonly owner: LeaseOwner
  /** Runs the work of every second. */
  tick(): void
  /** From now on no call of the process has an effect. */
  kill(): void
}

/** Starts like the gateway: takes an epoch, recovers earlier lives, then opens. */
export async function startLedgerProcess(
  given: Engine,
  parts: { disk: MemoryDisk; clock: Clock; onError(error: unknown): void },
): Promise<LedgerProcess> {
  const { disk, clock, onError } = parts
  const life = { isOver: false }
  const engine = mortal(given, life)
  const files = disk.filesOf(life)
  const { owner, lock } = await openLife(engine, 'r', '', files)
  const journal = openFileJournal(
    tmpdir(),
    owner,
    { engine, onError },
    { files, openFile: disk.opener(), onDiskError: onError },
  )
  await recoverDead(engine, { folder: '', files }, () => [])
  const ticks: (() => void)[] = []
  const ledger = withIntervals(
    (work) => void ticks.push(work),
    () =>
      new LeaseLedger({
        engine,
        commits: new GroupCommit(engine),
        owner,
        clock,
        journal,
        recall: async () => undefined,
        onError: (_, error) => onError(error),
        onClosed: (hasLeftNothing) => lock.end(hasLeftNothing),
      }),
  )
  return {
    ledger,
    journal,
    owner,
    tick: () => {
      for (const tick of ticks) tick()
    },
    kill: () => {
      life.isOver = true
    },
  }
}

/** An engine whose calls are neither executed nor answered after the end of the life. */
function mortal(engine: Engine, life: { readonly isOver: boolean }): Engine {
  const never = Promise.withResolvers<never>().promise
  const alive = async <T>(call: () => Promise<T>): Promise<T> => {
    if (life.isOver) return never
    const answer = await call()
    return life.isOver ? never : answer
  }
  return {
    ...engine,
    runUnits: (units) => alive(() => engine.runUnits(units)),
    applyRecords: (texts) => alive(() => engine.applyRecords(texts)),
  }
}

/** Collects the periodic work of `make`, which then runs when the test calls it instead of by a timer. */
function withIntervals<T>(collect: (work: () => void) => void, make: () => T): T {
  const { setInterval } = globalThis
  const collecting = (work: () => void): undefined => collect(work) as undefined
  Object.assign(globalThis, { setInterval: collecting })
  try {
    return make()
  } finally {
    Object.assign(globalThis, { setInterval })
  }
}
