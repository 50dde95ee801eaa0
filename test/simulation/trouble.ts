import { isJournalOf } from '../../src/ledger/journal/journal-lines.ts'
import type { Simulation } from './simulation.ts'

export type TroubleKind =
  | 'crash'
  | 'outage'
  | 'refusal'
  | 'full disk'
  | 'damage'
  | 'restore'
  | 'partition'
  | 'power'
  | 'takeover'
  | 'move'
  | 'pause'
  | 'machine pause'
  | 'jump'
  | 'night'
  | 'limit'

const minuteMs = 60_000

/** Longer than any lease without a renewal. */
const nightMs = 55 * minuteMs

/** Causes one fault after the other, of the kinds that the seed allows. */
export async function makeTrouble(simulation: Simulation): Promise<void> {
  const { time, chance, terms } = simulation
  const kinds = kindsOf(simulation)
  const meanMs = chance.oneOf(2_000, 10_000, 30_000)
  const nightAtMs = terms.hasNight ? chance.whole(5_000, 30_000) : Number.POSITIVE_INFINITY
  let hasNightPassed = false
  for (;;) {
    await time.sleep(chance.whole(1, meanMs * 2))
    if (time.nowMs >= simulation.busyUntilMs || simulation.isCalm) return
    const isNight: boolean = !hasNightPassed && time.nowMs >= nightAtMs
    hasNightPassed ||= isNight
    const kind = isNight ? 'night' : chance.oneOf('crash', ...kinds)
    simulation.see(kind)
    const replica = chance.whole(0, terms.replicas - 1)
    troubles[kind](simulation, replica)
    await simulation.morning()
  }
}

function kindsOf({ terms }: Simulation): TroubleKind[] {
  const kinds: TroubleKind[] = ['crash', 'outage', 'refusal', 'full disk']
  if (terms.hasDamage) kinds.push('damage')
  if (terms.hasRestores) kinds.push('restore')
  if (terms.hasPartitions) kinds.push('partition', 'partition')
  if (terms.hasPowerLoss) kinds.push('power')
  if (terms.hasTakeovers) kinds.push('takeover', 'move')
  if (terms.hasPauses) kinds.push('pause', 'machine pause')
  if (terms.hasJumps) kinds.push('jump', 'jump')
  if (terms.budgets) kinds.push('limit')
  return kinds
}

const troubles: Record<TroubleKind, (simulation: Simulation, replica: number) => void> = {
  crash,
  power: losePower,
  /** The database is unreachable; running calls get no answer. */
  outage: ({ weather, time, chance }) => {
    weather.isDown = true
    time.after(chance.oneOf(300, 3_000, 20_000), () => {
      weather.isDown = false
    })
  },
  /** The database answers but accepts no changes: read-only, full, or timing out. */
  refusal: ({ weather, time, chance }) => {
    weather.refusal = chance.oneOf('read-only', 'too many connections', 'timeout', 'disk is full')
    time.after(chance.oneOf(300, 5_000, 60_000), () => {
      weather.refusal = undefined
    })
  },
  'full disk': (simulation, replica) => {
    const { time, chance } = simulation
    const machine = simulation.machineOf(replica)
    machine.isFull = true
    time.after(chance.oneOf(300, 5_000, 20_000), () => {
      machine.isFull = false
    })
  },
  /** Changes a byte in the journal of a dead process. */
  damage: (simulation, replica) => {
    const { chance, machines } = simulation
    const dying = simulation.living(replica)
    crash(simulation, replica)
    for (const { owner, life } of dying) {
      const isOwn = (name: string): boolean => isJournalOf(owner, name)
      const isDone = machines.some(({ disk }) =>
        disk.damage(isOwn, (most) => chance.whole(0, most)),
      )
      if (isDone) life.isJournalDamaged = true
    }
  },
  /** Stops all processes, resets the database to an earlier state, and starts all processes. */
  restore: (simulation) => {
    const { time, chance, terms } = simulation
    simulation.backUp()
    time.after(chance.whole(100, 10_000), () => {
      for (let each = 0; each < terms.replicas; each += 1) crash(simulation, each)
      simulation.restore()
    })
  },
  partition: (simulation, replica) => {
    const { time, chance } = simulation
    for (const { life } of simulation.living(replica)) {
      life.isCutOff = true
      time.after(chance.oneOf(300, 6_000, 40_000), () => {
        life.isCutOff = false
      })
    }
  },
  takeover: (simulation, replica) => simulation.start(replica),
  move: (simulation, replica) =>
    simulation.start(replica, simulation.machineOf(simulation.terms.replicas)),
  pause: (simulation, replica) => {
    const untilMs = simulation.time.nowMs + pauseMs(simulation)
    for (const { life } of simulation.living(replica)) life.sleep(untilMs)
  },
  'machine pause': (simulation, replica) => {
    sleepOn(simulation, replica, pauseMs(simulation))
  },
  jump: ({ machines, chance }, replica) => {
    const byMs = chance.oneOf(1_500, 20_000, 6 * minuteMs, 26 * 60 * minuteMs)
    machines[replica]?.setWall(chance.is(0.5) ? byMs : -byMs)
  },
  limit: (simulation) => simulation.changeLimit(),
  night: (simulation) => {
    const { machines, chance } = simulation
    const lengthMs = nightMs + chance.whole(0, minuteMs)
    simulation.busyUntilMs += lengthMs
    simulation.nightUntilMs = simulation.time.nowMs + lengthMs
    machines.forEach((_, index) => {
      sleepOn(simulation, index, lengthMs + chance.whole(0, 15_000))
    })
  },
}

function pauseMs({ chance }: Simulation): number {
  return chance.oneOf(500, 5_000, 35_000)
}

function sleepOn(simulation: Simulation, index: number, lengthMs: number): void {
  const { time, chance } = simulation
  const machine = simulation.machineOf(index)
  // Either the process is suspended, or its machine.
  if (chance.is(0.5)) machine.missTime(lengthMs)
  for (const process of simulation.living()) {
    if (process.machine === machine) process.life.sleep(time.nowMs + lengthMs)
  }
}

function crash(simulation: Simulation, replica: number): void {
  const { time, chance } = simulation
  simulation.kill(replica)
  time.after(chance.whole(0, 5_000), () => simulation.startAgain(replica))
}

function losePower(simulation: Simulation, replica: number): void {
  const { time, chance, terms, machines } = simulation
  const { disk } = simulation.machineOf(replica)
  for (const machine of machines) if (machine.disk === disk) machine.powerLostAtMs.push(time.nowMs)
  for (const { life, machine } of simulation.living()) if (machine.disk === disk) life.end()
  for (let each = 0; each < terms.replicas; each += 1) {
    if (simulation.machineOf(each).disk === disk) crash(simulation, each)
  }
  disk.losePower({
    keep: (bytes) => chance.whole(0, bytes),
    hasHoles: () => chance.is(0.3),
    isBack: () => chance.is(0.3),
  })
}
