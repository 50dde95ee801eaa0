import { tmpdir } from 'node:os'
import type { Clock } from '../../src/core/clock.ts'
import { openFileJournal } from '../../src/ledger/file-journal.ts'
import type { Durability } from '../../src/ledger/journal.ts'
import { LeaseLedger } from '../../src/ledger/lease-ledger.ts'
import type { LeaseOwner } from '../../src/ledger/lease-units.ts'
import { closeEarlierLeases, reclaimLeases, recoverDead } from '../../src/ledger/recover.ts'
import { replicaTimes, showLife, takeEpoch } from '../../src/ledger/replica.ts'
import { SilenceWatch } from '../../src/ledger/silence-watch.ts'
import type { Engine } from '../../src/store/engine.ts'
import { GroupCommit } from '../../src/store/group-commit.ts'
import type { DiskFaults, MemoryDisk } from '../support/ledger/memory-disk.ts'
import type { Life } from './troubled-passage.ts'
import type { VirtualTime } from './virtual-time.ts'

const recoverEveryMs = 20_000

export interface ProcessParts {
  readonly name: string
  readonly engine: Engine
  readonly life: Life
  readonly time: VirtualTime
  readonly clock: Clock
  readonly disk: MemoryDisk
  readonly faults: DiskFaults
  readonly durability: Durability
  recall(accountId: string): void
  onDiskError(): void
  onFenced(): void
}

/** One life of one replica, wired as the gateway wires it. */
export interface SimulatedProcess {
  readonly name: string
  readonly owner: LeaseOwner
  readonly ledger: LeaseLedger
  readonly life: Life
  readonly disk: MemoryDisk
  /** It has found that another has its identity. */
  isFenced: boolean
  /** Another was started under its name while it lived. */
  isTakenOver: boolean
  isClosing: boolean
}

export async function startProcess(parts: ProcessParts): Promise<SimulatedProcess> {
  const { name, engine, life, time, clock, disk } = parts
  const owner = await takeEpoch(engine, name, clock.nowMs())
  const journal = openFileJournal(
    tmpdir(),
    owner,
    { engine, onError: () => undefined },
    {
      openFile: disk.opener(parts.faults),
      durability: parts.durability,
      onDiskError: parts.onDiskError,
    },
  )
  const watch = new SilenceWatch()
  const recover = async (trustsSilence: boolean): Promise<void> => {
    const nowMs = clock.nowMs()
    const place = { folder: '', self: owner, nowMs, files: disk.files, trustsSilence }
    await recoverDead(engine, place, () => [])
    await closeEarlierLeases(engine, owner)
    await reclaimLeases(engine, clock.nowMs())
  }
  await recover(false)
  return time.owned(life, () => {
    const timers: ReturnType<typeof setInterval>[] = []
    const ledger = new LeaseLedger({
      engine,
      commits: new GroupCommit(engine),
      owner,
      clock,
      journal,
      recall: async (accountId) => parts.recall(accountId),
      onError: () => undefined,
      onClose: () => {
        for (const timer of timers) clearInterval(timer)
      },
    })
    const marks = { isFenced: false, isTakenOver: false, isClosing: false }
    const self = { name, owner, ledger, life, disk, ...marks }
    const showUp = async (): Promise<void> => {
      if (await showLife(engine, owner, clock.nowMs())) return watch.see(clock.monotonicMs())
      if (!self.isFenced) parts.onFenced()
      self.isFenced = true
      ledger.fence()
    }
    const every = (ms: number, work: () => Promise<void>): void => {
      timers.push(setInterval(() => void work().catch(() => undefined), ms))
    }
    every(recoverEveryMs, () => recover(watch.isTrusted(clock.monotonicMs())))
    every(replicaTimes.seenEveryMs, showUp)
    return self
  })
}
