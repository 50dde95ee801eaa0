import type { Clock } from '../core/clock.ts'
import { openFileJournal } from '../ledger/file-journal.ts'
import type { Durability } from '../ledger/journal.ts'
import { LeaseLedger } from '../ledger/lease-ledger.ts'
import type { LeaseOwner } from '../ledger/lease-units.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { closeEarlierLeases, reclaimLeases, recoverDead } from '../ledger/recover.ts'
import { replicaTimes, showLife, takeEpoch } from '../ledger/replica.ts'
import { settleShape } from '../ledger/settle-record.ts'
import { SilenceWatch } from '../ledger/silence-watch.ts'
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
  await engine.defineShapes([settleShape, ...usageShapes])
  const owner = await takeEpoch(engine, parts.replica, clock.nowMs())
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
  // Who has just come cannot know whether the others are silent or the database was out of reach.
  await recover(parts, owner, false)
  const watch = new SilenceWatch()
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
  })
  const every = (ms: number, event: string, work: () => Promise<void>): void => {
    timers.push(setInterval(() => void work().catch(shout(event)), ms))
  }
  every(recoverEveryMs, 'recovery_failed', () =>
    recover(parts, owner, watch.isTrusted(clock.monotonicMs())),
  )
  every(replicaTimes.seenEveryMs, 'not_seen', () => showUp(parts, owner, ledger, watch))
  return ledger
}

/** Ends what dead processes have left behind. */
async function recover(
  parts: LedgerParts,
  owner: LeaseOwner,
  trustsSilence: boolean,
): Promise<void> {
  const { engine, log, journalFolder, clock } = parts
  const dead = { folder: journalFolder, self: owner, nowMs: clock.nowMs(), trustsSilence }
  const found = await recoverDead(engine, dead, (each) =>
    usageRecords(recoveredRecord(each), each.settlement.usage),
  )
  const leases = found.leases + (await closeEarlierLeases(engine, owner))
  const reclaimed = await reclaimLeases(engine, clock.nowMs())
  if (found.requests + leases + reclaimed === 0) return
  log.warn('recovered', {
    requests: found.requests,
    leases,
    reclaimed,
    why: 'a process was stopped before it could settle',
  })
}

async function showUp(
  { engine, log, clock }: LedgerParts,
  owner: LeaseOwner,
  ledger: LeaseLedger,
  watch: SilenceWatch,
): Promise<void> {
  if (await showLife(engine, owner, clock.nowMs())) {
    watch.see(clock.monotonicMs())
    return
  }
  ledger.fence()
  log.error('identity_lost', {
    why: `another process has taken the identity ${owner.replica}; give each its own with the setting replica`,
  })
}
