import type { OwnedLimits } from '../../../src/core/limits/rate-limit.ts'
import { LimitRefusal, type Permit } from '../../../src/limits/limiter.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { seededRandom } from '../seeded-random.ts'
import { clockedEngine } from './clocked-engine.ts'
import { openReplica, type Replica } from './open-replica.ts'
import { limitOf } from './small-cluster.ts'

/* Replicas that start, end and are killed at random, under random loads, on a clock that only the loop advances. */

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
    const replica = await openReplica(engine, id, { nowMs: () => nowMs, isCounting: true })
    nodes.push({ id, replica, servesAtMs, phase: Math.floor(next() * 5), running: [] })
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
    if (isKilled) return
    await engine.db.updateTable('replica').set({ epoch: 2 }).where('id', '=', id).execute()
  }
  const live = async ({ id, replica, servesAtMs, phase }: Node) => {
    const step = nowMs / stepMs + phase
    const seen_at = databaseStartMs + nowMs
    if (step % 50 === 0)
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
  let [eventAtMs, loadAtMs] = [4_000, 0]
  await start(nowMs)
  for (; nowMs < how.forMs; nowMs += stepMs) {
    const serving = () => nodes.filter(({ servesAtMs }) => servesAtMs <= nowMs)
    if (nowMs >= eventAtMs) {
      eventAtMs = nowMs + 500 + next() * 10_000
      const node = pick(nodes)
      if (node && next() < 0.5 && nodes.length > 1) await end(node, next() < 0.4)
      else if (nodes.length < replicasMax) await start(nowMs + joinMs)
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
