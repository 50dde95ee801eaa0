import { reclaimLeases } from '../../src/ledger/leases/close-leases.ts'
import type { Engine } from '../../src/store/engine.ts'
import type { ShapedRecord } from '../../src/store/units/shape.ts'
import type { MemoryDatabase } from '../support/ledger/memory-database.ts'
import type { DiskFaults } from '../support/ledger/memory-disk.ts'
import { Chance } from './chance.ts'
import { checkCalm } from './check-calm.ts'
import { Life } from './life.ts'
import { Machine } from './machine.ts'
import { limitColumn, members, openAccount } from './open-account.ts'
import { type KnownRequest, makeRequest, requestMsMax } from './request.ts'
import { type SimulatedProcess, startProcess } from './simulated-process.ts'
import { type Terms, termsOf } from './terms.ts'
import { makeTrouble, type TroubleKind } from './trouble.ts'
import { type DatabaseWeather, fairWeather, troubledPassage } from './troubled-passage.ts'
import type { VirtualTime } from './virtual-time.ts'

const busyMs = 45_000
const hourMs = 3_600_000
const restoredTables = [
  'lease',
  'entry',
  'uncovered',
  'api_key',
  'account',
  'membership',
  'budget_counter',
  'budget_set',
  'budget_crossing',
  'uncounted_cost',
  'replica',
]

/** Several replicas, one database, and an hour of the faults that the seed chooses. */
export class Simulation {
  readonly chance: Chance
  readonly time: VirtualTime
  readonly terms: Terms
  readonly database: MemoryDatabase
  readonly engine: Engine
  readonly requests: KnownRequest[] = []
  /** All lives since the start. */
  readonly processes: SimulatedProcess[] = []
  /** The last machine is a spare one, to which a replica may move. */
  readonly machines: readonly Machine[]
  readonly weather: DatabaseWeather = { ...fairWeather }
  /** The true time at the start, by the clock of the database. */
  readonly startMs: number
  /** The highest limit that members ever had. */
  memberNanoMax: bigint
  /** Violations during the run, the first of each kind. */
  readonly found: string[] = []
  /** The events so far, with their counts. */
  readonly seen = new Map<TroubleKind | 'fenced' | 'reclaimed' | 'reset', number>()
  /** All records that were ever applied. */
  readonly applied: ShapedRecord[] = []
  /** When the database first got the settlement of each request. */
  readonly appliedAtMs = new Map<string, number>()
  isCalm = false
  /** The end of the trouble; a night postpones it. */
  busyUntilMs = busyMs
  /** Until then no requests are sent. */
  nightUntilMs = 0
  /** Requests that a restored database has forgotten. */
  readonly forgotten = new Set<string>()
  #restore: (() => Set<string>) | undefined
  /** The lives of each replica, the latest last. */
  readonly #lives = new Map<number, Life[]>()
  /**
   * For the names of leases. They must be the same when a seed is repeated, because rows are read in the order of their
   * names.
   */
  readonly #names: Chance
  #hasImbalance = false

  constructor(seed: number, database: MemoryDatabase, time: VirtualTime) {
    this.chance = new Chance(seed)
    this.#names = new Chance(seed)
    this.time = time
    this.database = database
    this.engine = database.connect()
    this.terms = termsOf(this.chance)
    database.onCommit = () => this.#checkLedger()
    database.onApply = (records) => this.#noteApplied(records)
    const { replicas, isDiskShared, midnightMs, resetAtMs, budgets } = this.terms
    this.memberNanoMax = budgets?.memberNano ?? 0n
    this.startMs = midnightMs - resetAtMs
    const { startMs } = this
    database.nowMs = () => startMs + time.nowMs
    const first = new Machine(time, this.chance, startMs)
    this.machines = Array.from({ length: replicas + 1 }, (_, index) =>
      index === 0
        ? first
        : new Machine(time, this.chance, startMs, diskOf(index, replicas, isDiskShared)),
    )
    function diskOf(index: number, count: number, isShared: boolean) {
      return isShared && index < count ? first.disk : undefined
    }
  }

  async run(): Promise<void> {
    const { chance, time, terms, weather } = this
    await openAccount(this.database, this.engine, terms)
    weather.failing = chance.oneOf(0, 0.02, 0.2)
    weather.losing = chance.oneOf(0, 0.02, 0.2)
    weather.late = terms.hasLateCalls ? chance.oneOf(0.02, 0.1) : 0
    weather.slowMs = chance.oneOf(4, 40, 900)
    for (let replica = 0; replica < terms.replicas; replica += 1) this.start(replica)
    void makeTrouble(this)
    void this.#makeRequests()
    while (time.nowMs < this.busyUntilMs) await time.pass(this.busyUntilMs)
    await this.#calmDown()
  }

  see(kind: TroubleKind | 'fenced' | 'reclaimed' | 'reset', count = 1): void {
    this.seen.set(kind, (this.seen.get(kind) ?? 0) + count)
  }

  living(replica?: number): SimulatedProcess[] {
    const name = replica === undefined ? undefined : nameOf(replica)
    return this.processes.filter(
      (each) => !each.life.isOver && (name === undefined || each.name === name),
    )
  }

  /** Starts a replica. If the start fails, the process dies and is started again, as by a supervisor. */
  start(replica: number, machine = this.machineOf(replica)): void {
    const life = new Life(this.time)
    this.#lives.set(replica, [...this.#livesOf(replica), life])
    void startProcess(this.#partsOf(replica, life, machine)).then(
      (process) => {
        if (!life.isOver) this.processes.push(process)
      },
      () => {
        if (life.isOver) return
        life.end()
        this.time.after(1_000, () => this.startAgain(replica))
      },
    )
  }

  startAgain(replica: number): void {
    if (this.#livesOf(replica).at(-1)?.isOver === true) this.start(replica)
  }

  #livesOf(replica: number): Life[] {
    return this.#lives.get(replica) ?? []
  }

  /** Ends all lives of a replica, including those that are just starting. */
  kill(replica: number): void {
    for (const life of this.#livesOf(replica)) life.end()
  }

  machineOf(replica: number): Machine {
    const machine = this.machines[replica]
    if (!machine) throw new Error('there is no such machine')
    return machine
  }

  backUp(): void {
    this.#restore ??= this.database.save(restoredTables)
  }

  restore(): void {
    const restored = this.#restore?.()
    this.#restore = undefined
    if (!restored) return
    for (const { requestId } of this.requests) {
      if (!restored.has(requestId) && this.appliedAtMs.has(requestId)) this.forgotten.add(requestId)
    }
    // Records that the database has forgotten would not be repetitions.
    const known = this.applied.filter((record) => restored.has(String(record[1])))
    this.applied.splice(0, this.applied.length, ...known)
  }

  /** Changes the limit of the members; a process may learn of it late, or never. */
  changeLimit(): void {
    const { chance, time, terms } = this
    if (!terms.budgets) return
    const nano = BigInt(chance.oneOf(40, 200, 1_000))
    if (nano > this.memberNanoMax) this.memberNanoMax = nano
    const { period } = terms.budgets
    // The limit gets another amount, is removed and set again, or other kinds of limits come and go.
    const other = chance.oneOf('total', 'day', 'week', 'month')
    const columns = chance.oneOf<Record<string, bigint | null>>(
      { [limitColumn[period]]: nano },
      { [limitColumn[period]]: chance.oneOf(null, nano) },
      other === period ? {} : { [limitColumn[other]]: chance.oneOf(null, 1_000_000n) },
    )
    const marks = {
      budget_version: this.requests.length + 2,
      budget_kinds_at: this.startMs + time.nowMs,
    }
    void this.engine.db
      .updateTable('membership')
      .set({ ...columns, ...marks })
      .execute()
    for (const process of this.living()) {
      if (chance.is(0.2)) continue
      const change = { seq: 1, topic: 'account' as const, subject: 'a' }
      time.after(chance.whole(0, 3_000), () => {
        if (!process.life.isOver) process.ledger.apply([change])
      })
    }
  }

  async morning(): Promise<void> {
    if (this.time.nowMs < this.nightUntilMs)
      await this.time.sleep(this.nightUntilMs - this.time.nowMs)
  }

  async closeAll(): Promise<void> {
    const closing = this.processes.filter(({ life, isClosing }) => !life.isOver && !isClosing)
    let open = closing.length
    for (const process of closing) {
      process.isClosing = true
      void process.ledger.close().then(() => {
        open -= 1
        process.life.end()
      })
    }
    const isClosed = await this.time.pass(this.time.nowMs + 60_000, () => open === 0)
    if (!isClosed) throw new Error('L6: a process did not stop')
  }

  #noteApplied(records: readonly ShapedRecord[]): void {
    for (const record of records) {
      this.applied.push(record)
      const requestId = String(record[1])
      if (!this.appliedAtMs.has(requestId)) this.appliedAtMs.set(requestId, this.time.nowMs)
    }
  }

  /** L1 at every committed state. */
  #checkLedger(): void {
    if (this.#hasImbalance) return
    const wrong = this.database.imbalances()
    if (wrong.length === 0) return
    this.#hasImbalance = true
    this.found.push(`L1 on the way: ${JSON.stringify(wrong, (_, each) => String(each))}`)
  }

  /** Ends all faults and requests and stops all processes; dead processes are started once more. */
  async #calmDown(): Promise<void> {
    const { time, terms } = this
    this.isCalm = true
    Object.assign(this.weather, fairWeather)
    for (const { life } of this.processes) life.isCutOff = false
    const wakeAtMs = this.processes.map(({ life }) => life.asleepUntilMs)
    await time.pass(Math.max(time.nowMs, ...wakeAtMs) + requestMsMax + 20_000)
    await checkCalm(this)
    await this.closeAll()
    for (let index = 0; index <= terms.replicas; index += 1) {
      this.start(Math.min(index, terms.replicas - 1), this.machineOf(index))
      await time.pass(time.nowMs + 25_000)
      await this.closeAll()
    }
    const leases = await this.engine.db.selectFrom('lease').selectAll().execute()
    if (leases.length > 0 && !this.#mayLeasesBeLeft())
      this.found.push(`L6: leases are left before their time: ${leases.length}`)
    await time.pass(time.nowMs + hourMs)
    await reclaimLeases(this.engine)
  }

  /** The owner of such leases does not know them, or its lock is lost, or they were restored, so they must expire. */
  #mayLeasesBeLeft(): boolean {
    return this.terms.hasLateCalls || this.seen.has('power') || this.seen.has('restore')
  }

  #partsOf(replica: number, life: Life, machine: Machine) {
    const { time, chance, terms, weather } = this
    const passage = troubledPassage({ time, chance, weather }, life)
    return {
      name: nameOf(replica),
      engine: this.database.connect(passage, terms.hasManyConnections),
      life,
      time,
      machine,
      faults: this.#faultsOf(life, machine),
      durability: terms.durability,
      random: (count: number) => this.#names.bytes(count),
      onFenced: () => {
        this.see('fenced')
        const others = this.#livesOf(replica).filter((each) => each !== life)
        if (!others.some((each) => life.overlaps(each)))
          this.found.push('a process was fenced though nobody else had its name')
      },
      onReclaimed: (count: number) => {
        if (count > 0) this.see('reclaimed', count)
      },
      recall: (accountId: string) => this.#recall(accountId),
      onDiskError: () => {
        if (life.isOver) return
        life.end()
        time.after(2_000, () => this.startAgain(replica))
      },
    }
  }

  /** The last write of a dying process may be torn; a disk may be full for a moment, or broken. */
  #faultsOf(life: Life, machine: Machine): DiskFaults {
    const { chance, time, terms } = this
    const isTroubled = chance.is(0.2)
    return {
      onWrite: (count) => {
        if (life.isOver) return { written: chance.whole(0, count - 1), error: new Error('dead') }
        if (this.isCalm) return undefined
        if (!machine.isFull && !(isTroubled && chance.is(0.01))) return undefined
        life.hasDiskFault = true
        const code = machine.isFull ? 'ENOSPC' : chance.oneOf('ENOSPC', 'EIO')
        const error = Object.assign(new Error(code), { code })
        return { written: chance.whole(0, count - 1), error }
      },
      onSync: async () => {
        await time.sleep(chance.whole(0, 20))
        return life.isOver || (terms.isDiskLying && chance.is(0.5))
      },
    }
  }

  #recall(accountId: string): void {
    const { chance, time } = this
    for (const process of this.living()) {
      if (!this.isCalm && chance.is(0.1)) continue
      const change = { seq: 1, topic: 'recall' as const, subject: accountId }
      time.after(chance.whole(0, 300), () => {
        if (!process.life.isOver) process.ledger.apply([change])
      })
    }
  }

  async #makeRequests(): Promise<void> {
    const { time, chance } = this
    while (time.nowMs < this.busyUntilMs) {
      await time.sleep(chance.whole(1, this.#isReset ? 120 : 2_000))
      await this.morning()
      const awake = this.living().filter(({ life }) => life.asleepUntilMs <= time.nowMs)
      const process = awake[chance.whole(0, awake.length - 1)]
      if (!process || this.isCalm) continue
      for (let count = chance.whole(1, 4); count > 0; count -= 1) this.#request(process)
    }
  }

  /** Sends many requests around the end of a period, when they could be charged to the wrong period. */
  get #isReset(): boolean {
    const { time, terms } = this
    return terms.budgets !== undefined && Math.abs(time.nowMs - terms.resetAtMs - 500) < 700
  }

  #request(process: SimulatedProcess): void {
    const { time, chance } = this
    const amountNano = BigInt(chance.whole(1, 40))
    const request: KnownRequest = {
      requestId: `request-${this.requests.length}`,
      process,
      keyId: chance.oneOf('limited', 'free'),
      // The owner of a key changes often.
      userId: this.terms.budgets && chance.oneOf(undefined, ...members),
      recoveryNano: amountNano / 3n,
      askedAtMs: time.nowMs,
      admittedAtMs: undefined,
      costNano: undefined,
      checkpoints: [],
      answeredAtMs: undefined,
    }
    this.requests.push(request)
    // A refusal or a failure shows in the facts that the client knows.
    makeRequest(request, { time, chance, amountNano }).catch(() => undefined)
  }
}

function nameOf(replica: number): string {
  return `replica-${replica}`
}
