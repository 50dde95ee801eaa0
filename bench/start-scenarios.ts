import type { Fixture } from './fixture.ts'
import { median } from './median.ts'
import { processTree, residentMegabytes } from './process-figures.ts'
import type { Outcome } from './scenario.ts'

const settleMs = 1000

export function runReadyScenario(fixture: Fixture): Outcome {
  const value = median(fixture.readyMs)
  return {
    scenario: 'ready',
    title: `spawn to the first 200 of /readyz, median of ${fixture.readyMs.length} starts`,
    rows: [{ target: 'gateway', figures: { 'ready ms': value } }],
    goals: [{ title: 'time until ready', value, atMost: 2000, unit: 'ms' }],
  }
}

export async function runIdleScenario(fixture: Fixture): Promise<Outcome> {
  await Bun.sleep(settleMs)
  const memoryMb = (pid: number) => residentMegabytes(processTree(pid))
  const value = memoryMb(fixture.gateway.child.pid)
  return {
    scenario: 'idle',
    title: 'resident memory after the start, before any load',
    rows: [
      { target: 'nginx', figures: { 'memory MB': memoryMb(fixture.nginx.child.pid) } },
      { target: 'gateway', figures: { 'memory MB': value } },
    ],
    goals: [{ title: 'idle memory', value, atMost: 70, unit: 'MB' }],
  }
}
