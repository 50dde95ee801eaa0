import { expect } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import { startTollgate, type TollgateProcess } from '../../support/process/tollgate-process.ts'
import type { Workspace } from '../../support/process/workspace.ts'

/** A gateway with two workers, seen from outside: its log, its processes and its metrics. */
export interface Workers {
  readonly gateway: TollgateProcess
  /** The process ids of the running workers, by their numbers. */
  processes(): Map<number, number>
  /** The number of log lines with this event, of one worker or of all. */
  count(event: string, worker?: number): number
  metric(series: string): Promise<number>
}

export async function startWorkers(
  workspace: Workspace,
  flags: readonly string[] = [],
): Promise<Workers> {
  const gateway = await startTollgate(workspace, ['--workers', '2', ...flags])
  const lines = () =>
    gateway
      .stderr()
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line): Record<string, unknown> => JSON.parse(line))
  return {
    gateway,
    processes: () => {
      const running = new Map<number, number>()
      for (const { event, worker, pid } of lines()) {
        if (event === 'worker_started') running.set(Number(worker), Number(pid))
        if (event === 'worker_ended' || event === 'stopped') running.delete(Number(worker))
      }
      return running
    },
    count: (event, worker) =>
      lines().filter(
        (line) => line['event'] === event && (worker === undefined || line['worker'] === worker),
      ).length,
    metric: async (series) => {
      const text = await (await fetch(`${gateway.url}/metrics`)).text()
      const line = text.split('\n').find((each) => each.startsWith(`${series} `))
      return Number(line?.slice(series.length) ?? Number.NaN)
    },
  }
}

/** Also false if the worker that accepted the connection was killed. */
export async function isReady({ gateway }: Workers): Promise<boolean> {
  const reply = await fetch(`${gateway.url}/readyz`).catch(() => undefined)
  return reply?.status === 200
}

/** Sends SIGKILL to a process that this test has started. */
export function killProcess(id: number | undefined): void {
  expect(id).toBeGreaterThan(0)
  if (id !== undefined) process.kill(id, 'SIGKILL')
}

export async function whenGone(ids: Iterable<number>): Promise<void> {
  for (const id of ids) {
    await eventually(`process ${id} has ended`, () => {
      try {
        process.kill(id, 0)
        return false
      } catch {
        return true
      }
    })
  }
}
