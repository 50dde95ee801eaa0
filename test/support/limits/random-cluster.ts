import type { OwnedLimits } from '../../../src/core/limits/rate-limit.ts'
import { LimitRefusal, type Permit } from '../../../src/limits/limiter.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { seededRandom } from '../seeded-random.ts'
import { clockedEngine } from './clocked-engine.ts'
import { losableEngine } from './losable-engine.ts'
import { openReplica, type Replica } from './open-replica.ts'
import { limitOf } from './small-cluster.ts'

/*
 * Replicas that start, end, are killed and lose the database at random, under random loads, on a clock that only the
 * loop advances.
 */

const stepMs = 100
const minuteMs = 60_000
/** A new gateway serves no requests before the others know of it. */
const joinMs = 1_500
const replicasMax = 5
const databaseStartMs = 1_000_000_000
/** The part of a limit that replicas may admit in addition. */
const tolerance = 0.1

interface Running {
  readonly permit: Permit
  readonly endsAtMs: number
  readonly used: UsedPart
}

interface Node {
  readonly id: string
  readonly replica: Replica
  readonly servesAtMs: number
  readonly phase: number
  /** The replica has lost the database until then. */
  lostUntilMs: number
  running: Running[]
}

interface Load {
  readonly owned: OwnedLimits
  readonly limit: number
  readonly used: UsedPart
  /** How often the limit is asked for in a minute, and of which replica; undefined: any. */
  times: number
  at: number | undefined
}

/** How many of a limit are in use, with the tolerance: the largest number that there ever was. */
class UsedPart {
  readonly #leakPerMs: number
  #count = 0
  #atMs = 0
  most = 0

  constructor(leakPerMinute: number) {
    this.#leakPerMs = leakPerMinute / minuteMs
  }

  add(count: number, nowMs: number): void {
    const left = Math.max(0, this.#count - (nowMs - this.#atMs) * this.#leakPerMs)
    this.#count = left + count
    this.#atMs = nowMs
    this.most = Math.max(this.most, this.#count)
  }
}

function loadsOf(limits: readonly number[], places: number): Load[] {
  const shared = { times: 0, at: undefined }
  const rates = limits.map((limit, index) => ({
    ...shared,
    limit,
    owned: limitOf({ requestsPerMinute: limit }, `rate${index}`),
    used: new UsedPart(limit * (1 + tolerance)),
  }))
  const owned = limitOf({ concurrentRequests: places }, 'places')
  return [...rates, { ...shared, limit: places, owned, used: new UsedPart(0) }]
}

/** The largest part of each limit that was in use at any time; 1: all of it. */
export async function mostUsed(
  given: Engine,
  how: {
    readonly seed: number
    readonly forMs: number
    readonly limits: readonly number[]
    readonly places: number
    /** Whether replicas lose the database, together or alone. */
    readonly hasLosses?: boolean
  },
): Promise<readonly number[]> {
  const next = seededRandom(how.seed)
  const pick = <Value>(list: readonly Value[]) => list[Math.floor(next() * list.length)]
  let nowMs = 1_000
  const engine = clockedEngine(given, () => databaseStartMs + nowMs)
  const nodes: Node[] = []
  let started = 0
  const start = async (servesAtMs: number) => {
    started += 1
    const id = `r${started}`
    let node: Node | undefined
    const isLost = () => node !== undefined && nowMs < node.lostUntilMs
    const onLost = (error: unknown) => {
      if (!isLost()) throw error
    }
    const options = { nowMs: () => nowMs, isCounting: true, onLost }
    const replica = await openReplica(losableEngine(engine, isLost), id, options)
    node = { id, replica, servesAtMs, phase: Math.floor(next() * 50), lostUntilMs: 0, running: [] }
    nodes.push(node)
  }
  /** What a replica has counted in memory, because no other one can run, is lost with it. */
  const canEnd = ({ replica }: Node) => nodes.length > 1 && replica.shares.runningMax > 1
  /** A single replica without the database does not know of one that starts. */
  const canStart = () =>
    nodes.length < replicasMax && nodes.every(({ lostUntilMs }) => lostUntilMs <= nowMs)
  const lose = () => {
    const part = next() < 0.5 ? 1 : 0.5
    for (const node of nodes)
      if (next() < part)
        node.lostUntilMs = Math.max(node.lostUntilMs, nowMs + 500 + next() * 19_500)
  }
  const free = (node: Node, running: readonly Running[]) => {
    node.running = node.running.filter((each) => !running.includes(each))
    for (const { used } of running) used.add(-1, nowMs)
  }
  /** A replica that is killed tells nobody. */
  const end = async (node: Node, isKilled: boolean) => {
    const { id, replica, running } = node
    if (!isKilled) for (const { permit } of running) permit.end(1)
    free(node, running)
    await replica.settled()
    nodes.splice(nodes.indexOf(node), 1)
    if (isKilled || nowMs < node.lostUntilMs) return
    await engine.db.updateTable('replica').set({ epoch: 2 }).where('id', '=', id).execute()
  }
  const live = async ({ id, replica, servesAtMs, phase, lostUntilMs }: Node) => {
    const step = nowMs / stepMs + phase
    const seen_at = databaseStartMs + nowMs
    if (step % 50 === 0 && nowMs >= lostUntilMs)
      await engine.db.updateTable('replica').set({ seen_at }).where('id', '=', id).execute()
    if (nowMs < servesAtMs || step % 5 === 0) await replica.shares.sync()
  }
  const ask = async (node: Node, { owned, used }: Load) => {
    const verdict = await node.replica.limiter.admit([owned], 1)
    if (verdict instanceof LimitRefusal) return
    used.add(1, nowMs)
    if (owned.values.concurrentRequests === null) verdict.end(1)
    else node.running.push({ permit: verdict, endsAtMs: nowMs + next() * 5_000, used })
  }
  const loads = loadsOf(how.limits, how.places)
  let [eventAtMs, loadAtMs, lossAtMs] = [4_000, 0, how.hasLosses ? 5_000 : how.forMs]
  await start(nowMs)
  for (; nowMs < how.forMs; nowMs += stepMs) {
    const serving = () => nodes.filter(({ servesAtMs }) => servesAtMs <= nowMs)
    if (nowMs >= eventAtMs) {
      eventAtMs = nowMs + 500 + next() * 10_000
      const node = pick(nodes)
      if (node && next() < 0.5 && canEnd(node)) await end(node, next() < 0.4)
      else if (canStart()) await start(nowMs + joinMs)
    }
    if (nowMs >= lossAtMs) {
      lossAtMs = nowMs + 1_000 + next() * 30_000
      lose()
    }
    if (nowMs >= loadAtMs) {
      loadAtMs = nowMs + 3_000 + next() * 15_000
      for (const load of loads) {
        load.times = pick([0, 0.3, 1, 3, 20]) ?? 0
        load.at = next() < 0.5 ? undefined : Math.floor(next() * replicasMax)
      }
    }
    for (const node of nodes) {
      await live(node)
      const ended = node.running.filter(({ endsAtMs }) => endsAtMs <= nowMs)
      for (const { permit } of ended) permit.end(1)
      free(node, ended)
    }
    const asked: Promise<void>[] = []
    const servers = serving()
    for (const load of loads) {
      const count = (load.limit * load.times * stepMs) / minuteMs
      for (let left = Math.min(count, 300); next() < left; left -= 1) {
        const node = load.at === undefined ? pick(servers) : servers[load.at % servers.length]
        if (node) asked.push(ask(node, load))
      }
    }
    await Promise.all(asked)
  }
  for (const { replica } of nodes) await replica.settled()
  return loads.map(({ used, limit }) => used.most / limit)
}
