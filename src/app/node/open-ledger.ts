import type { Durability } from '../../core/runtime/durability.ts'
import type { LogEvent } from '../../core/telemetry/log-event.ts'
import type { Clock } from '../../core/time/clock.ts'
import { recountEarlier } from '../../ledger/budgets/earlier-spending.ts'
import { openFileJournal } from '../../ledger/journal/file-journal.ts'
import { missingJournal, openLife } from '../../ledger/journal/open-life.ts'
import { recoverDead } from '../../ledger/journal/recover.ts'
import { settleShapes } from '../../ledger/journal/settle-record.ts'
import { reclaimLeases } from '../../ledger/leases/close-leases.ts'
import { LeaseLedger } from '../../ledger/leases/lease-ledger.ts'
import type { LeaseOwner } from '../../ledger/leases/lease-units.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { explainLostIdentity, recordHeartbeat, seenEveryMs } from '../../ledger/replica.ts'
import { write } from '../../store/changes/write.ts'
import type { Engine } from '../../store/engine.ts'
import { GroupCommit } from '../../store/units/group-commit.ts'
import type { Log } from '../../telemetry/log.ts'
import { RepeatedErrors } from '../../telemetry/repeated-errors.ts'
import { usageRecords } from '../../usage/usage-records.ts'
import { usageShapes } from '../../usage/usage-shapes.ts'
import { recoveredRecord } from './recovered-record.ts'

export interface LedgerDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Log
  /** The identity of this process among those on one database. */
  readonly replica: string
  /** The folder of this process's journal. */
  readonly journalFolder: string
  /** The step that a response waits for before its last byte is sent. */
  readonly durability: Durability
  readonly journalBytesMax: number
  /** The disk is broken: the process must end. */
  onDiskError(error: unknown): void
}

const recountEveryMs = 60_000
const recoverEveryMs = 20_000

/** Opens the ledger: takes its epoch, and settles the requests of dead processes, now and periodically. */
export async function openLedger(deps: LedgerDeps): Promise<Ledger> {
  const { engine, clock, log } = deps
  await engine.defineShapes([...settleShapes, ...usageShapes])
  const { owner, lock, problems } = await openLife(engine, deps.replica, deps.journalFolder)
  for (const { event, why } of problems) log.error(event, { why })
  const errors = new RepeatedErrors(log, clock.monotonicMs)
  const logAs = (event: LogEvent) => (error: unknown) => errors.log(event, error)
  const journal = openFileJournal(
    deps.journalFolder,
    owner,
    { engine, onError: logAs('database_behind'), onSetAside: logSetAside(log) },
    {
      durability: deps.durability,
      bytesMax: deps.journalBytesMax,
      onDiskError: deps.onDiskError,
    },
  )
  // A failed recovery is retried later; it is no reason to refuse new requests.
  await recover(deps).catch(logAs('recovery_failed'))
  const timers: ReturnType<typeof setInterval>[] = []
  const ledger = new LeaseLedger({
    engine,
    commits: new GroupCommit(engine),
    owner,
    clock,
    journal,
    recall: (accountId) =>
      write(engine, clock.nowMs(), async ({ announce }) => announce('recall', accountId)),
    onError: (what, error) => logAs(what)(error),
    onClose: () => {
      for (const timer of timers) clearInterval(timer)
    },
    onClosed: (hasLeftNothing) => lock.end(hasLeftNothing),
  })
  const every = (ms: number, event: LogEvent, work: () => Promise<void>): void => {
    timers.push(setInterval(() => void work().catch(logAs(event)), ms))
  }
  every(recoverEveryMs, 'recovery_failed', () => recover(deps))
  every(recountEveryMs, 'earlier_spending_not_counted', () => recountEarlier(engine, clock.nowMs()))
  every(seenEveryMs, 'heartbeat_failed', () => showUp(deps, owner, ledger))
  return ledger
}

/** Settles the requests and leases of dead processes. */
async function recover({ engine, log, journalFolder }: LedgerDeps): Promise<void> {
  const place = { folder: journalFolder, onSetAside: logSetAside(log) }
  const found = await recoverDead(engine, place, (each) =>
    usageRecords(recoveredRecord(each), each.settlement.usage),
  )
  for (const writer of found.missing) {
    const { event, why } = missingJournal(writer)
    log.error(event, { why })
  }
  if (found.damagedLines > 0) {
    log.error('journal_damaged', {
      lines: found.damagedLines,
      why: `journal lines cannot be read, so their requests may not be charged, or only for their input; the journal is kept in ${journalFolder}, its name begins with "damaged-"`,
    })
  }
  const { requests, leases, charged } = found
  const reclaimed = await reclaimLeases(engine)
  if (requests + leases + charged + reclaimed === 0) return
  const why = 'a process stopped before it settled its requests'
  log.warn('recovered', { requests, charged, leases, reclaimed, why })
}

function logSetAside(log: Log): (records: number) => void {
  return (records) =>
    log.error('records_set_aside', {
      records,
      why: 'the database rejects these records because of their values; they are in refused.log of the journal folder. Remove the cause, then run "tollgate ledger replay"',
    })
}

async function showUp(
  { engine, log }: LedgerDeps,
  owner: LeaseOwner,
  ledger: LeaseLedger,
): Promise<void> {
  if (await recordHeartbeat(engine, owner)) return
  const why = await explainLostIdentity(engine, owner)
  if (why === undefined) return
  ledger.fence(why)
  log.error('identity_lost', { why })
}
