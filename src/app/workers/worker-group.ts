import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../telemetry/log.ts'
import { type Counter, Metrics } from '../../telemetry/metrics.ts'
import { CommandProblem } from '../command-problem.ts'
import { GroupMetrics } from './group-metrics.ts'
import type { StopOrder } from './messages.ts'
import { registerRestarts } from './register-restarts.ts'
import { restartRules, waitBefore } from './restart-rules.ts'
import type { RunningWorker, WorkerEvents } from './running-worker.ts'

export interface GroupDeps {
  readonly workers: number
  readonly log: Log
  readonly monotonicMs: () => number
  /** The longest that a worker may take to stop before it is killed. */
  readonly stopMsMax: number
  start(
    number: number,
    greets: boolean,
    events: Pick<WorkerEvents, 'onState' | 'onCollect'>,
  ): RunningWorker
}

/** A position that always needs one running worker. */
interface Post {
  /** Undefined while the position waits for a restart. */
  worker: RunningWorker | undefined
  isBeingReplaced: boolean
  failures: number
}

/** Starts the workers, restarts those that end, replaces them for a reload, and stops them. */
export class WorkerGroup {
  readonly #deps: GroupDeps
  /** All processes, also those that are leaving. */
  readonly #running = new Set<RunningWorker>()
  readonly #posts: Post[]
  readonly #metrics: GroupMetrics
  readonly #restarts: Counter
  readonly #broken = Promise.withResolvers<never>()
  #isOpen = false
  #isStopping = false
  #sentProblem: string | undefined
  #isReloading = false
  #isReloadWanted = false

  constructor(deps: GroupDeps) {
    this.#deps = deps
    this.#posts = Array.from({ length: deps.workers }, () => ({
      worker: undefined,
      isBeingReplaced: false,
      failures: 0,
    }))
    const own = new Metrics()
    this.#restarts = registerRestarts(own)
    this.#metrics = new GroupMetrics(this.#running, () => own.read())
    // The rejection is handled where the promise is awaited.
    this.#broken.promise.catch(() => undefined)
  }

  /** Rejects with one sentence when workers keep failing. */
  get broken(): Promise<never> {
    return this.#broken.promise
  }

  /**
   * The first worker prepares the database alone. Returns the banner when all workers serve, or the exit code of a
   * worker that did not start.
   */
  async open(): Promise<{ readonly banner: string } | { readonly code: number }> {
    const [first, ...others] = this.#posts
    if (!first) return { code: 1 }
    const opened = await this.#fill(first, 1, true)
    if (opened.banner === undefined) return { code: await this.#codeOf(opened.worker) }
    if (this.#isStopping) return { banner: '' }
    const rest = await Promise.all(others.map((post, index) => this.#fill(post, index + 2, false)))
    const failed = rest.find(({ banner }) => banner === undefined)
    if (failed) return { code: await this.#codeOf(failed.worker) }
    for (const post of this.#posts) this.#keep(post)
    this.#publish()
    this.#isOpen = true
    if (this.#isReloadWanted) this.reload()
    return { banner: opened.banner }
  }

  /** Replaces the workers one after the other, as soon as the start or another reload is done. */
  reload(): void {
    this.#isReloadWanted = true
    if (this.#isOpen && !this.#isReloading) void this.#replaceAll()
  }

  signalAll(order: StopOrder): void {
    this.#isStopping = true
    for (const worker of this.#running) worker.stop(order)
  }

  /** Waits for all workers to end, and kills those that take too long. False if one of them failed. */
  async ended(): Promise<boolean> {
    const killing = setTimeout(() => {
      for (const worker of this.#running) worker.kill()
    }, this.#deps.stopMsMax)
    const codes = await Promise.all([...this.#running].map(({ exited }) => exited))
    clearTimeout(killing)
    return codes.every((code) => code === 0)
  }

  async #codeOf(worker: RunningWorker): Promise<number> {
    const code = await worker.exited
    return typeof code === 'number' && code > 0 ? code : 1
  }

  #start(number: number, greets: boolean): RunningWorker {
    const worker = this.#deps.start(number, greets, {
      onState: () => this.#publish(),
      onCollect: () => void this.#answer(worker),
    })
    this.#running.add(worker)
    worker.send({ kind: 'group', problem: this.#sentProblem ?? null })
    worker.exited.then(
      () => {
        this.#running.delete(worker)
        this.#metrics.retire(worker)
      },
      () => undefined,
    )
    return worker
  }

  async #answer(worker: RunningWorker): Promise<void> {
    worker.send({ kind: 'metrics', text: await this.#metrics.collect() })
  }

  async #fill(post: Post, number: number, greets: boolean) {
    const worker = this.#start(number, greets)
    post.worker = worker
    this.#publish()
    return { worker, banner: await worker.serving }
  }

  /** Restarts the worker of this post when it ends. */
  #keep(post: Post): void {
    const { worker } = post
    if (!worker) return
    const sinceMs = this.#deps.monotonicMs()
    void worker.exited.then((how) => {
      if (post.worker !== worker || this.#isStopping) return
      const isSound = this.#deps.monotonicMs() - sinceMs >= restartRules.soundMs
      post.failures = (isSound ? 0 : post.failures) + 1
      post.worker = undefined
      this.#publish()
      const { number } = worker.role
      this.#deps.log.error('worker_ended', {
        worker: number,
        how: String(how),
        failures: post.failures,
      })
      if (!post.isBeingReplaced) void this.#restart(post, number)
    })
  }

  async #restart(post: Post, number: number): Promise<void> {
    if (post.failures >= restartRules.failuresMax) {
      const times = `${post.failures} times in a row`
      return this.#broken.reject(
        new CommandProblem(
          `Worker ${number} has ended ${times}, so the gateway stops. The log says why the worker ended.`,
        ),
      )
    }
    await sleep(waitBefore(post.failures))
    if (this.#isStopping) return
    this.#restarts.add([])
    const filling = this.#fill(post, this.#freeNumber(number), false)
    this.#keep(post)
    await filling
  }

  async #replaceAll(): Promise<void> {
    this.#isReloading = true
    while (this.#isReloadWanted && !this.#isStopping) {
      this.#isReloadWanted = false
      this.#deps.log.info('reloading', { workers: this.#posts.length })
      const isDone = await this.#replaceEach()
      if (isDone) this.#deps.log.info('reloaded')
    }
    this.#isReloading = false
  }

  /** False when a new worker did not start, or the gateway stops. */
  async #replaceEach(): Promise<boolean> {
    for (const post of this.#posts) {
      if (this.#isStopping) return false
      if (await this.#replace(post)) continue
      this.#deps.log.error('reload_failed', {
        why: 'the new worker did not start; the other workers serve on with the old configuration',
      })
      return false
    }
    return true
  }

  /** Starts the new worker under a free number first, so that there are never fewer workers than before. */
  async #replace(post: Post): Promise<boolean> {
    const number = this.#freeNumber()
    post.isBeingReplaced = true
    const next = this.#start(number, false)
    const limit = new AbortController()
    const isServing = await Promise.race([
      next.serving.then((banner) => banner !== undefined),
      sleep(restartRules.replaceMs, false, { signal: limit.signal }).catch(() => false),
    ])
    limit.abort()
    post.isBeingReplaced = false
    const old = post.worker
    if (!isServing) {
      next.kill()
      if (!old && !this.#isStopping) void this.#restart(post, number)
      return false
    }
    post.worker = next
    post.failures = 0
    this.#keep(post)
    this.#publish()
    if (!old) return true
    old.stop('replaced')
    const killing = setTimeout(() => old.kill(), this.#deps.stopMsMax)
    const how = await old.exited
    clearTimeout(killing)
    if (how !== 0)
      this.#deps.log.warn('worker_ended', { worker: old.role.number, how: String(how) })
    return true
  }

  /** A number that no process has: its name and its journal belong to one process at a time. */
  #freeNumber(preferred = 1): number {
    const taken = new Set([...this.#running].map(({ role }) => role.number))
    let number = taken.has(preferred) ? 1 : preferred
    while (taken.has(number)) number += 1
    return number
  }

  /** Tells all workers whether the gateway is ready, because any of them may answer `/readyz`. */
  #publish(): void {
    const problem = this.#problem()
    if (problem === this.#sentProblem) return
    this.#sentProblem = problem
    for (const worker of this.#running) worker.send({ kind: 'group', problem: problem ?? null })
  }

  #problem(): string | undefined {
    for (const [index, { worker }] of this.#posts.entries()) {
      if (!worker) return `worker ${index + 1} is not running`
      const problem = worker.problem()
      if (problem !== undefined) return `worker ${worker.role.number}: ${problem}`
    }
    return undefined
  }
}
