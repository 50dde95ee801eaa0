import { setTimeout as sleep } from 'node:timers/promises'
import {
  joinFamilies,
  keepCounts,
  type MetricFamily,
  renderFamilies,
} from '../../telemetry/metric-family.ts'
import type { RunningWorker } from './running-worker.ts'

/** A worker that does not answer in this time is shown with its last values. */
const answerMs = 2_000

/** The metrics of all workers as one process would show them. Workers that have ended still count. */
export class GroupMetrics {
  readonly #workers: ReadonlySet<RunningWorker>
  readonly #own: () => readonly MetricFamily[]
  #ended: readonly MetricFamily[] = []
  #running: Promise<string> | undefined

  constructor(workers: ReadonlySet<RunningWorker>, own: () => readonly MetricFamily[]) {
    this.#workers = workers
    this.#own = own
  }

  /** Scrapes at the same time share one answer. */
  collect(): Promise<string> {
    this.#running ??= this.#collect().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Keeps the counts of a worker that has ended. */
  retire(worker: RunningWorker): void {
    this.#ended = joinFamilies([this.#ended, keepCounts(worker.families())])
  }

  async #collect(): Promise<string> {
    const answers = [...this.#workers].map((worker) => worker.readMetrics())
    await Promise.race([Promise.all(answers), sleep(answerMs, undefined, { ref: false })])
    const lists = [...this.#workers].map((worker) => worker.families())
    return renderFamilies(joinFamilies([...lists, this.#ended, this.#own()]))
  }
}
