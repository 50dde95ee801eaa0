import { tmpdir } from 'node:os'
import type { RandomBytes } from '../../src/core/id.ts'
import type { Durability } from '../../src/core/runtime/durability.ts'
import { openFileJournal } from '../../src/ledger/journal/file-journal.ts'
import { openLife } from '../../src/ledger/journal/open-life.ts'
import { recoverDead } from '../../src/ledger/journal/recover.ts'
import { reclaimLeases } from '../../src/ledger/leases/close-leases.ts'
import { LeaseLedger } from '../../src/ledger/leases/lease-ledger.ts'
import type { LeaseOwner } from '../../src/ledger/leases/lease-units.ts'
import { recordHeartbeat, seenEveryMs } from '../../src/ledger/replica.ts'
import type { Engine } from '../../src/store/engine.ts'
import { GroupCommit } from '../../src/store/units/group-commit.ts'
import type { DiskFaults } from '../support/ledger/memory-disk.ts'
import type { Life } from './life.ts'
import type { Machine } from './machine.ts'
import type { VirtualTime } from './virtual-time.ts'

const recoverEveryMs = 20_000

export interface ProcessDeps {
  readonly name: string
  readonly engine: Engine
  readonly life: Life
  readonly time: VirtualTime
  readonly machine: Machine
  readonly faults: DiskFaults
  readonly durability: Durability
  readonly random: RandomBytes
  recall(accountId: string): void
  onDiskError(): void
  onFenced(): void
  onReclaimed(count: number): void
}

/** One life of one replica, wired as the gateway wires it. */
export interface SimulatedProcess {
  readonly name: string
  readonly owner: LeaseOwner
  readonly ledger: LeaseLedger
  readonly life: Life
  readonly machine: Machine
  /** The process has learned that another process has taken its identity. */
  isFenced: boolean
  isClosing: boolean
}

export async function startProcess(deps: ProcessDeps): Promise<SimulatedProcess> {
  const { name, engine, life, time, machine } = deps
  const { disk, clock } = machine
  const files = disk.filesOf(life)
  const { owner, lock } = await openLife(engine, name, '', files)
  const journal = openFileJournal(
    tmpdir(),
    owner,
    { engine, onError: () => undefined },
    {
      files,
      openFile: disk.opener(deps.faults),
      durability: deps.durability,
      onDiskError: deps.onDiskError,
    },
  )
  const recover = async (): Promise<void> => {
    await recoverDead(engine, { folder: '', files }, () => [])
    deps.onReclaimed(await reclaimLeases(engine))
  }
  await recover().catch(() => undefined)
  return time.owned(life, () => {
    const timers: ReturnType<typeof setInterval>[] = []
    const ledger = new LeaseLedger({
      engine,
      commits: new GroupCommit(engine),
      owner,
      clock,
      journal,
      random: deps.random,
      recall: async (accountId) => deps.recall(accountId),
      onError: () => undefined,
      onClose: () => {
        for (const timer of timers) clearInterval(timer)
      },
      onClosed: (hasLeftNothing) => lock.end(hasLeftNothing),
    })
    const self = { name, owner, ledger, life, machine, isFenced: false, isClosing: false }
    const showUp = async (): Promise<void> => {
      if (await recordHeartbeat(engine, owner)) return
      if (!self.isFenced) deps.onFenced()
      self.isFenced = true
      ledger.fence('its identity is gone')
    }
    const every = (ms: number, work: () => Promise<void>): void => {
      timers.push(setInterval(() => void work().catch(() => undefined), ms))
    }
    every(recoverEveryMs, recover)
    every(seenEveryMs, showUp)
    return self
  })
}
