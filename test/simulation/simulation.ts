import type { Clock } from '../../src/core/clock.ts'
import type { Durability } from '../../src/ledger/journal.ts'
import { reclaimLeases } from '../../src/ledger/recover.ts'
import type { Engine } from '../../src/store/engine.ts'
import type { MemoryDatabase } from '../support/ledger/memory-database.ts'
import { type DiskFaults, MemoryDisk } from '../support/ledger/memory-disk.ts'
import { Chance } from './chance.ts'
import { openAccount } from './open-account.ts'
import { type KnownRequest, makeRequest } from './request.ts'
import { type SimulatedProcess, startProcess } from './simulated-process.ts'
import { type DatabaseWeather, type Life, troubledPassage } from './troubled-passage.ts'
import type { VirtualTime } from './virtual-time.ts'

const busyMs = 45_000
const hourMs = 3_600_000
const wallStartMs = 1_790_000_000_000

export interface Terms {
  readonly creditNano: bigint
  readonly quotaNano: bigint | undefined
  readonly durability: Durability
  /** Workers of one machine have their journals in one folder. */
  readonly isDiskShared: boolean
  readonly replicas: number
  readonly hasPowerLoss: boolean
  readonly hasTakeovers: boolean
}

/** Some replicas, one database, and an hour in which everything goes wrong that a seed says. */
export class Simulation {
  readonly chance: Chance
  readonly time: VirtualTime
  readonly terms: Terms
  readonly database: MemoryDatabase
  readonly requests: KnownRequest[] = []
  /** Every life there ever was. */
  readonly processes: SimulatedProcess[] = []
  readonly disks: readonly MemoryDisk[]
  /** What was wrong with the books, at the first moment at which something was. */
  imbalance: readonly unknown[] | undefined
  readonly #weather: DatabaseWeather = { isDown: false, failing: 0, losing: 0, slowMs: 4 }
  readonly #engine: Engine
  #isCalm = false
  /** The latest start of each replica. */
  readonly #lives = new Map<number, Life>()
  /** Processes that were fenced although nobody else was started under their name. */
  takenForDead = 0

  constructor(seed: number, database: MemoryDatabase, time: VirtualTime) {
    this.chance = new Chance(seed)
    this.time = time
    this.database = database
    this.#engine = database.connect()
    database.onCommit = () => this.#checkBooks()
    this.terms = termsOf(this.chance)
    const count = this.terms.isDiskShared ? 1 : this.terms.replicas
    this.disks = Array.from({ length: count }, () => new MemoryDisk())
  }

  get engine(): Engine {
    return this.#engine
  }

  async run(): Promise<void> {
    const { chance, time, terms } = this
    await openAccount(this.database, this.#engine, terms)
    this.#weather.failing = chance.oneOf(0, 0.02, 0.2)
    this.#weather.losing = chance.oneOf(0, 0.02, 0.2)
    this.#weather.slowMs = chance.oneOf(4, 40, 900)
    for (let replica = 0; replica < terms.replicas; replica += 1) this.#keepStarting(replica)
    const trouble = { untilMs: time.nowMs + busyMs }
    void this.#makeTrouble(trouble.untilMs)
    void this.#makeRequests(trouble.untilMs)
    await time.pass(trouble.untilMs)
    await this.#calmDown()
  }

  /** L1 at every committed state. */
  #checkBooks(): void {
    if (this.imbalance) return
    const wrong = this.database.imbalances()
    if (wrong.length > 0) this.imbalance = wrong
  }

  /** All faults end, all requests end, all processes stop; those that died are started once more. */
  async #calmDown(): Promise<void> {
    const { time } = this
    this.#isCalm = true
    Object.assign(this.#weather, { isDown: false, failing: 0, losing: 0, slowMs: 4 })
    await time.pass(time.nowMs + 60_000)
    await this.#closeAll()
    for (let replica = 0; replica < this.terms.replicas; replica += 1) {
      this.#keepStarting(replica)
      await time.pass(time.nowMs + 40_000)
      await this.#closeAll()
    }
    await time.pass(time.nowMs + hourMs)
    await reclaimLeases(this.#engine, wallStartMs + time.nowMs)
  }

  async #closeAll(): Promise<void> {
    const closing = this.processes.filter(({ life, isClosing }) => !life.isOver && !isClosing)
    let open = closing.length
    for (const process of closing) {
      process.isClosing = true
      void process.ledger.close().then(() => {
        open -= 1
        process.life.isOver = true
        this.time.endTimersOf(process.life)
      })
    }
    const isClosed = await this.time.pass(this.time.nowMs + 60_000, () => open === 0)
    if (!isClosed) throw new Error('a process did not stop')
  }

  #kill(process: SimulatedProcess): void {
    process.life.isOver = true
    this.time.endTimersOf(process.life)
  }

  #living(replica?: number): SimulatedProcess[] {
    const name = replica === undefined ? undefined : `replica-${replica}`
    return this.processes.filter(
      (each) => !each.life.isOver && (name === undefined || each.name === name),
    )
  }

  /** Starts a replica; when that fails, dies and is started again, as a supervisor would. */
  #keepStarting(replica: number): void {
    const life: Life = { isOver: false }
    const { time } = this
    for (const process of this.#living(replica)) process.isTakenOver = true
    this.#lives.set(replica, life)
    void startProcess(this.#partsOf(replica, life)).then(
      (process) => {
        if (!life.isOver) this.processes.push(process)
      },
      () => {
        if (life.isOver) return
        life.isOver = true
        time.after(1_000, () => this.#startAgain(replica))
      },
    )
  }

  #partsOf(replica: number, life: Life) {
    const { time, chance, terms } = this
    const passage = troubledPassage({ time, chance, weather: this.#weather }, life)
    return {
      name: `replica-${replica}`,
      engine: this.database.connect(passage),
      life,
      time,
      clock: this.#clock(),
      disk: this.#diskOf(replica),
      faults: this.#faultsOf(life),
      durability: terms.durability,
      onFenced: () => {
        // Signs of life that queue behind slow calls for half a minute are none.
        const isSlow = this.#weather.slowMs > 100
        if (this.#lives.get(replica) === life && !isSlow) this.takenForDead += 1
      },
      recall: (accountId: string) => this.#recall(accountId),
      onDiskError: () => {
        if (life.isOver) return
        life.isOver = true
        time.endTimersOf(life)
        time.after(2_000, () => this.#startAgain(replica))
      },
    }
  }

  #diskOf(replica: number): MemoryDisk {
    const disk = this.disks[this.terms.isDiskShared ? 0 : replica]
    if (!disk) throw new Error('there is no such disk')
    return disk
  }

  /** Each process has a clock of its own, a little wrong; what it measures is right. */
  #clock(): Clock {
    const { time } = this
    const offMs = this.chance.whole(-2_000, 2_000)
    return { nowMs: () => wallStartMs + time.nowMs + offMs, monotonicMs: () => time.nowMs }
  }

  /** The last write of one that dies may be torn; a disk may be full for a moment, or broken. */
  #faultsOf(life: Life): DiskFaults {
    const { chance, time } = this
    const isTroubled = chance.is(0.2)
    return {
      onWrite: (count) => {
        if (life.isOver) return { written: chance.whole(0, count - 1), error: new Error('dead') }
        if (this.#isCalm || !isTroubled || !chance.is(0.01)) return undefined
        const code = chance.oneOf('ENOSPC', 'EIO')
        const error = Object.assign(new Error(code), { code })
        return { written: chance.whole(0, count - 1), error }
      },
      onSync: async () => {
        await time.sleep(chance.whole(0, 20))
        return life.isOver
      },
    }
  }

  #recall(accountId: string): void {
    const { chance, time } = this
    for (const process of this.#living()) {
      if (chance.is(0.1)) continue
      const change = { seq: 1, topic: 'recall' as const, subject: accountId }
      time.after(chance.whole(0, 300), () => {
        if (!process.life.isOver) process.ledger.apply([change])
      })
    }
  }

  async #makeRequests(untilMs: number): Promise<void> {
    const { time, chance } = this
    while (time.nowMs < untilMs) {
      await time.sleep(chance.whole(1, 2_000))
      const living = this.#living()
      const process = living[chance.whole(0, living.length - 1)]
      if (!process) continue
      for (let count = chance.whole(1, 4); count > 0; count -= 1) this.#request(process)
    }
  }

  #request(process: SimulatedProcess): void {
    const { time, chance } = this
    const amountNano = BigInt(chance.whole(1, 40))
    const request: KnownRequest = {
      requestId: `request-${this.requests.length}`,
      process,
      recoveryNano: amountNano / 3n,
      isAdmitted: false,
      costNano: undefined,
      isAnswered: false,
    }
    this.requests.push(request)
    const keyId = chance.oneOf('limited', 'free')
    // What is refused or fails is told by what the client knows.
    makeRequest(request, { time, chance, keyId, amountNano }).catch(() => undefined)
  }

  async #makeTrouble(untilMs: number): Promise<void> {
    const { time, chance, terms } = this
    const meanMs = chance.oneOf(2_000, 10_000, 30_000)
    for (;;) {
      await time.sleep(chance.whole(1, meanMs * 2))
      if (time.nowMs >= untilMs) return
      const replica = chance.whole(0, terms.replicas - 1)
      const kind = chance.whole(0, 9)
      if (kind < 5) this.#crash(replica)
      else if (kind < 7) this.#outage()
      else if (kind === 7 && terms.hasPowerLoss) this.#losePower(replica)
      else if (terms.hasTakeovers) this.#keepStarting(replica)
    }
  }

  #crash(replica: number): void {
    for (const process of this.#living(replica)) this.#kill(process)
    const life = this.#lives.get(replica)
    if (life) life.isOver = true
    this.time.after(this.chance.whole(0, 5_000), () => this.#startAgain(replica))
  }

  #startAgain(replica: number): void {
    if (this.#lives.get(replica)?.isOver === true) this.#keepStarting(replica)
  }

  /** The database is away; whoever waits for an answer does not get it. */
  #outage(): void {
    this.#weather.isDown = true
    this.time.after(this.chance.oneOf(300, 3_000, 20_000), () => {
      this.#weather.isDown = false
    })
  }

  #losePower(replica: number): void {
    const disk = this.#diskOf(replica)
    for (let each = 0; each < this.terms.replicas; each += 1) {
      if (this.#diskOf(each) === disk) this.#crash(each)
    }
    disk.losePower((bytes) => this.chance.whole(0, bytes))
  }
}

function termsOf(chance: Chance): Terms {
  const durability = chance.oneOf<Durability>('journal', 'fsync', 'database')
  return {
    creditNano: BigInt(chance.oneOf(200, 2_000, 100_000)),
    quotaNano: chance.oneOf(undefined, 150n, 5_000n),
    durability,
    isDiskShared: chance.is(0.3),
    replicas: chance.whole(1, 5),
    // What is only written down is not promised to outlive the power.
    hasPowerLoss: durability !== 'journal' && chance.is(0.5),
    hasTakeovers: chance.is(0.2),
  }
}
