import type { Clock } from '../core/clock.ts'
import { reclaimLeases } from '../ledger/close-leases.ts'
import { openFileJournal } from '../ledger/file-journal.ts'
import type { Durability } from '../ledger/journal.ts'
import { LeaseLedger } from '../ledger/lease-ledger.ts'
import type { LeaseOwner } from '../ledger/lease-units.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { takeLifeLock } from '../ledger/life-lock.ts'
import { recoverDead } from '../ledger/recover.ts'
import { seenEveryMs, showLife, takeEpoch } from '../ledger/replica.ts'
import { settleShapes } from '../ledger/settle-record.ts'
import type { Engine } from '../store/engine.ts'
import { GroupCommit } from '../store/group-commit.ts'
import { write } from '../store/write.ts'
import type { Log } from '../telemetry/log.ts'
import { usageRecords } from '../usage/usage-records.ts'
import { usageShapes } from '../usage/usage-shapes.ts'
import { recoveredRecord } from './recovered-record.ts'

export interface LedgerParts {
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Log
  /** The identity of this process among those on one database. */
  readonly replica: string
  /** Where this process writes down what it has admitted and settled. */
  readonly journalFolder: string
  /** What an answer waits for before its last byte leaves. */
  readonly durability: Durability
  readonly journalBytesMax: number
  /** The disk is broken: the process must end. */
  onDiskError(error: unknown): void
}

const recoverEveryMs = 20_000

/** The ledger in office: its epoch taken, what others have left behind settled, and both seen to from now on. */
export async function openLedger(parts: LedgerParts): Promise<Ledger> {
  const { engine, clock, log } = parts
  await engine.defineShapes([...settleShapes, ...usageShapes])
  const owner = await takeEpoch(engine, parts.replica)
  const life = takeLifeLock(parts.journalFolder, owner)
  const shout = (event: string) => (error: unknown) => log.error(event, { why: String(error) })
  const journal = openFileJournal(
    parts.journalFolder,
    owner,
    {
      engine,
      onError: shout('database_behind'),
    },
    {
      durability: parts.durability,
      bytesMax: parts.journalBytesMax,
      onDiskError: parts.onDiskError,
    },
  )
  // What cannot be recovered now is tried again: it is no reason to refuse those who come.
  await recover(parts).catch(shout('recovery_failed'))
  const timers: ReturnType<typeof setInterval>[] = []
  const ledger = new LeaseLedger({
    engine,
    commits: new GroupCommit(engine),
    owner,
    clock,
    journal,
    recall: (accountId) =>
      write(engine, clock.nowMs(), async ({ announce }) => announce('recall', accountId)),
    onError: (what, error) => shout(what)(error),
    onClose: () => {
      for (const timer of timers) clearInterval(timer)
    },
    onClosed: (hasLeftNothing) => life.end(hasLeftNothing),
  })
  const every = (ms: number, event: string, work: () => Promise<void>): void => {
    timers.push(setInterval(() => void work().catch(shout(event)), ms))
  }
  every(recoverEveryMs, 'recovery_failed', () => recover(parts))
  every(seenEveryMs, 'not_seen', () => showUp(parts, owner, ledger))
  return ledger
}

/** Ends what dead processes have left behind. */
async function recover({ engine, log, journalFolder }: LedgerParts): Promise<void> {
  const found = await recoverDead(engine, { folder: journalFolder }, (each) =>
    usageRecords(recoveredRecord(each), each.settlement.usage),
  )
  const reclaimed = await reclaimLeases(engine)
  if (found.requests + found.leases + reclaimed === 0) return
  log.warn('recovered', {
    requests: found.requests,
    leases: found.leases,
    reclaimed,
    why: 'a process was stopped before it could settle',
  })
}

async function showUp(
  { engine, log }: LedgerParts,
  owner: LeaseOwner,
  ledger: LeaseLedger,
): Promise<void> {
  if (await showLife(engine, owner)) return
  ledger.fence()
  log.error('identity_lost', {
    why: `another process has taken the identity ${owner.replica}; give each its own with the setting replica`,
  })
}
