import type { FailedCandidate } from '../../../src/routing/find-next.ts'
import { findNext } from '../../../src/routing/find-next.ts'
import { planCandidates } from '../../../src/routing/plan.ts'
import type { Plan } from '../../../src/routing/plan-params.ts'
import { backOffMs, retryRules } from '../../../src/routing/retry-rules.ts'
import type { Candidate } from '../../../src/routing/route-set.ts'
import { Routing } from '../../../src/routing/routing.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { buildCatalog } from './build-catalog.ts'
import { eventsInto } from './plan-fixture.ts'
import type { SimulatedUpstream } from './simulated-upstream.ts'

export interface Simulation {
  readonly requests: number
  readonly perSecond: number
  readonly upstreams: readonly SimulatedUpstream[]
  readonly seed: number
}

export interface Report {
  answered: number
  failed: number
  retries: number
  retriesDenied: number
  /** Requests that tried one candidate twice, or too often. */
  repeated: number
  /** Answers by upstream, and attempts by upstream and by credential. */
  readonly answers: Map<string, number>
  readonly tries: Map<string, number>
  /** The same for attempts in each tenth of the time. */
  readonly tenths: Map<string, number>[]
  readonly heard: string[]
  readonly seconds: number
  /** Requests that still count as in flight at the end. */
  leftInFlight: number
}

const streamMs = 2_000

/**
 * Requests at even intervals of virtual time, planned and retried by the real rules, and answered by the given
 * upstreams.
 */
export function simulateRouting({ requests, perSecond, upstreams, seed }: Simulation): Report {
  const random = seededRandom(seed)
  const heard: string[] = []
  const routing = new Routing(eventsInto(heard), random)
  const catalog = buildCatalog({ routes: upstreams.map(({ words }) => words) })
  const byId = new Map(upstreams.map((each) => [each.words.upstream, each]))
  const seconds = requests / perSecond
  const report: Report = {
    answered: 0,
    failed: 0,
    retries: 0,
    retriesDenied: 0,
    repeated: 0,
    answers: new Map(),
    tries: new Map(),
    tenths: Array.from({ length: 10 }, () => new Map()),
    heard,
    seconds,
    leftInFlight: 0,
  }
  const time = new VirtualTime()
  const slots = new Set<Candidate['state']>()

  const plan = (): Plan =>
    planCandidates({
      catalog,
      health: routing.health,
      accountId: 'acme',
      groups: ['g'],
      models: undefined,
      model: 'm',
      nowMs: time.nowMs,
      monotonicMs: time.nowMs,
      random,
    })

  const attempt = (order: Plan, candidate: Candidate, failed: FailedCandidate[]): void => {
    const { state, route, credential } = candidate
    const startedMs = time.nowMs
    const { id } = route.upstream
    const tenth = Math.min(9, Math.floor((startedMs / (seconds * 1_000)) * 10))
    count(report.tries, id)
    count(report.tries, `${id} ${credential?.name}`)
    count(report.tenths[tenth] ?? new Map(), id)
    if (failed.some((each) => each.candidate.state === state) || failed.length > 2)
      report.repeated += 1
    slots.add(state)
    const isTrial = state.enter(startedMs)
    const outcome = byId.get(id)?.answer(startedMs, credential?.name ?? '', random)
    time.after(outcome?.afterMs ?? 0, () => {
      const { nowMs } = time
      if (outcome?.cause === undefined) {
        state.target.noteFirstToken(nowMs - startedMs)
        state.succeed(nowMs, startedMs)
        report.answered += 1
        count(report.answers, id)
        time.after(streamMs, () => state.leave(isTrial))
        return
      }
      const { cause, status, cooldownMs } = outcome
      state.leave(isTrial)
      state.fail(nowMs, startedMs, { cause, status, cooldownMs })
      retry(order, [...failed, { candidate, cause }])
    })
  }

  const retry = (order: Plan, failed: FailedCandidate[]): void => {
    const next = order.candidates[findNext(order.candidates, failed, time.nowMs)]
    if (!next || failed.length > retryRules.retriesMax) {
      report.failed += 1
    } else if (!routing.budget.take(time.nowMs)) {
      report.retriesDenied += 1
      report.failed += 1
    } else {
      report.retries += 1
      time.after(backOffMs(failed.length - 1, random), () => attempt(order, next, failed))
    }
  }

  for (let each = 0; each < requests; each += 1) {
    time.after((each / perSecond) * 1_000, () => {
      routing.budget.deposit()
      const order = plan()
      const first = order.candidates[findNext(order.candidates, [], time.nowMs)]
      if (first) attempt(order, first, [])
    })
  }
  time.run()
  for (const state of slots) report.leftInFlight += state.load.inFlight + state.target.inFlight
  return report
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** Time that jumps from one event to the next. */
class VirtualTime {
  nowMs = 0
  #ordinal = 0
  /** A heap: the earliest first; of two at once, the one that was added first. */
  readonly #heap: { atMs: number; ordinal: number; work: () => void }[] = []

  after(ms: number, work: () => void): void {
    this.#ordinal += 1
    this.#heap.push({ atMs: this.nowMs + ms, ordinal: this.#ordinal, work })
    let child = this.#heap.length - 1
    while (child > 0) {
      const parent = (child - 1) >> 1
      if (!this.#isSooner(child, parent)) break
      this.#swap(child, parent)
      child = parent
    }
  }

  run(): void {
    for (;;) {
      const next = this.#heap[0]
      const last = this.#heap.pop()
      if (!next || !last) return
      if (next !== last) {
        this.#heap[0] = last
        this.#sink()
      }
      this.nowMs = next.atMs
      next.work()
    }
  }

  #sink(): void {
    for (let parent = 0; ; ) {
      let least = parent
      for (const child of [parent * 2 + 1, parent * 2 + 2]) {
        if (child < this.#heap.length && this.#isSooner(child, least)) least = child
      }
      if (least === parent) return
      this.#swap(least, parent)
      parent = least
    }
  }

  #isSooner(one: number, other: number): boolean {
    const left = this.#heap[one]
    const right = this.#heap[other]
    if (!left || !right) return false
    return left.atMs === right.atMs ? left.ordinal < right.ordinal : left.atMs < right.atMs
  }

  #swap(one: number, other: number): void {
    const left = this.#heap[one]
    const right = this.#heap[other]
    if (!left || !right) return
    this.#heap[one] = right
    this.#heap[other] = left
  }
}
