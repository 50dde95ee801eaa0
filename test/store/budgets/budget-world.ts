import { expect } from 'bun:test'
import type { GivenLimits } from '../../../src/accounts/definition/member.ts'
import { putMember, removeMember } from '../../../src/accounts/member-store.ts'
import { noUsage } from '../../../src/core/money/usage.ts'
import type { Clock } from '../../../src/core/time/clock.ts'
import { createKey, updateKey } from '../../../src/keys/key-store.ts'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { grantCredit } from '../../../src/ledger/credits.ts'
import { openFileJournal } from '../../../src/ledger/journal/file-journal.ts'
import { openLife } from '../../../src/ledger/journal/open-life.ts'
import { settleShapes } from '../../../src/ledger/journal/settle-record.ts'
import { LeaseLedger } from '../../../src/ledger/leases/lease-ledger.ts'
import type { Hold, HoldRequest } from '../../../src/ledger/ledger.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { GroupCommit } from '../../../src/store/units/group-commit.ts'
import { usageShapes } from '../../../src/usage/usage-shapes.ts'
import { MemoryDisk } from '../../support/ledger/memory-disk.ts'
import { patience } from '../../support/patience.ts'
import { addAccount, plainKey, tools } from '../../support/store/row-helpers.ts'
import { recovery } from '../ledger/ledger-helpers.ts'

export const dayMs = 86_400_000
export const midnightMs = 20_700 * dayMs
const clockName = 'clock of a test'
export const eachNano = 10n
export const timeoutMs = patience(60_000)

/**
 * A database with a clock that can be set, and that runs unless it stands still. The account has enough money for
 * everything.
 */
export class BudgetWorld {
  readonly engine: Engine
  #requests = 0
  /** The clock of the database minus the clock of this machine. */
  #aheadMs = 0
  readonly #isStill: boolean

  constructor(engine: Engine, isStill = false) {
    this.#isStill = isStill
    const ahead = `(SELECT CAST(value AS BIGINT) FROM fact WHERE name = '${clockName}')`
    this.engine = { ...engine, clockSql: isStill ? ahead : `(${engine.clockSql} + ${ahead})` }
  }

  get #machineMs(): number {
    return this.#isStill ? 0 : Date.now()
  }

  async open(atMs: number): Promise<void> {
    await this.engine.defineShapes([...settleShapes, ...usageShapes])
    await addAccount(this.engine)
    await write(this.engine, 1, (w) => createKey(w, tools, plainKey, { id: 'k' }))
    const credit = { id: 'c', accountId: 'acme', source: 's', externalId: 'c', reason: '', at: 1 }
    await write(this.engine, 1, (w) => grantCredit(w, { ...credit, amountNano: 1_000_000n }))
    await this.setClock(atMs)
  }

  async setClock(atMs: number): Promise<void> {
    this.#aheadMs = atMs - this.#machineMs
    const value = String(this.#aheadMs)
    await this.engine.db
      .insertInto('fact')
      .values({ name: clockName, value })
      .onConflict((fact) => fact.column('name').doUpdateSet({ value }))
      .execute()
  }

  /** A process whose own clock is wrong by this much. */
  async process(replica: string, wrongByMs = 0): Promise<LeaseLedger> {
    const { engine } = this
    const disk = new MemoryDisk()
    const files = disk.filesOf({ isOver: false })
    const { owner, lock } = await openLife(engine, replica, '', files)
    const clock: Clock = {
      nowMs: () => this.#machineMs + this.#aheadMs + wrongByMs,
      monotonicMs: () => performance.now(),
    }
    const onError = (): undefined => undefined
    const journal = openFileJournal(
      '/tmp',
      owner,
      { engine, onError },
      { files, openFile: disk.opener(), onDiskError: onError },
    )
    const commits = new GroupCommit(engine)
    const recall = async (): Promise<void> => {
      for (const each of this.ledgers) each.apply([{ seq: 1, topic: 'recall', subject: 'acme' }])
    }
    const onClosed = (isEmpty: boolean): void => lock.end(isEmpty)
    const deps = { engine, commits, owner, clock, journal, recall, onError, onClosed }
    const ledger = new LeaseLedger(deps)
    this.ledgers.push(ledger)
    return ledger
  }

  readonly ledgers: LeaseLedger[] = []

  request(extra: Partial<HoldRequest> = {}): HoldRequest {
    this.#requests += 1
    return {
      requestId: `request-${String(this.#requests).padStart(6, '0')}`,
      accountId: 'acme',
      keyId: 'k',
      amountNano: eachNano,
      recoveryNano: 0n,
      recovery,
      ...extra,
    }
  }

  /** The limits were set before all periods, unless another time is given. */
  async limitKey(limits: Partial<typeof plainKey>, atMs = 1, id = 'k'): Promise<void> {
    await write(this.engine, atMs, (w) => updateKey(w, id, { ...plainKey, ...limits }))
    this.tell('key', id)
  }

  /** Tells all processes of a change. */
  tell(topic: 'key' | 'account', subject: string): void {
    for (const each of this.ledgers) each.apply([{ seq: 1, topic, subject }])
  }

  /** Sets limits of the member `userId`, who is added if necessary. */
  async limitMember(userId: string, limits: GivenLimits, atMs = 1): Promise<void> {
    await this.#addUser(userId)
    await write(this.engine, atMs, (w) => putMember(w, { userId, accountId: 'acme', ...limits }))
    this.tell('account', 'acme')
  }

  removeMember(userId: string): Promise<unknown> {
    return write(this.engine, 1, (w) => removeMember(w, { userId, accountId: 'acme' }))
  }

  /** A key of the member, or a service key. */
  async addKey(id: string, ownerId: string | null): Promise<void> {
    await write(this.engine, 1, (w) => createKey(w, tools, { ...plainKey, ownerId }, { id }))
  }

  async #addUser(id: string): Promise<void> {
    await this.engine.db
      .insertInto('console_user')
      .values({ id, email: id, role: 'member', created_at: 1 })
      .onConflict((user) => user.column('id').doNothing())
      .execute()
  }

  counters() {
    return this.engine.db.selectFrom('budget_counter').selectAll().orderBy('id').execute()
  }

  async close(): Promise<void> {
    for (const ledger of this.ledgers) await ledger.close()
    expect(await findImbalances(this.engine)).toEqual([])
    const open = await this.engine.db.selectFrom('lease').select('id').execute()
    expect(open).toEqual([])
  }
}

export function settle(
  hold: Hold,
  costNano = eachNano,
  records: Parameters<Hold['settle']>[1] = [],
): void {
  hold.settle(
    {
      costNano,
      usage: noUsage,
      usageSource: 'upstream',
      priceVersionId: 'p',
      factorMicro: 1_000_000n,
      flags: [],
    },
    records,
  )
}
