import { completionsPath } from './bench-request.ts'
import type { Programs } from './ensure-programs.ts'
import { cpuMicroseconds, processTree, residentMegabytes } from './process-figures.ts'
import { untilStreamsEnd } from './streams-end.ts'
import type { Target } from './target.ts'
import { readUpstreamCounters } from './upstream-counters.ts'
import { runWrk } from './wrk.ts'

export interface Load {
  readonly scriptFile: string
  /** Defaults to the chat-completions path. */
  readonly path?: string
  readonly connections: number
  readonly counted: 'requests' | 'events'
}

export interface LoadFigures {
  readonly cpuPerUnit: number
  readonly unitsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly memoryMb: number
}

/** The parts of the fixture that a load needs. */
export interface LoadFixture {
  readonly options: { readonly warmUpMs: number; readonly windowMs: number }
  readonly programs: Pick<Programs, 'wrk'>
  readonly upstream: Target
}

interface Sample {
  readonly atMs: number
  readonly cpu: number
  readonly units: number
}

// The load outlasts the window; otherwise the second sample would include its end.
const slackMs = 500

// CPU time and the upstream's count are read at the same two moments within the run, so that neither the warm-up nor
// streams cut off at the end distort the quotient.
export async function measureLoad(
  fixture: LoadFixture,
  target: Target,
  load: Load,
): Promise<LoadFigures> {
  const { warmUpMs, windowMs } = fixture.options
  const ids = processTree(target.child.pid)
  const takeSample = async (): Promise<Sample> => {
    const counters = await readUpstreamCounters(fixture.upstream.url)
    return { atMs: performance.now(), cpu: cpuMicroseconds(ids), units: counters[load.counted] }
  }
  const wrk = runWrk({
    wrk: fixture.programs.wrk,
    scriptFile: load.scriptFile,
    url: target.url + (load.path ?? completionsPath),
    connections: load.connections,
    durationMs: warmUpMs + windowMs + slackMs,
  })
  const window = async () => {
    await Bun.sleep(warmUpMs)
    const before = await takeSample()
    await Bun.sleep(windowMs)
    const after = await takeSample()
    return { before, after, memoryMb: residentMegabytes(ids) }
  }
  const [latency, { before, after, memoryMb }] = await Promise.all([wrk, window()])
  // Otherwise streams that were cut off would count in the next window.
  await untilStreamsEnd(fixture.upstream, target)
  const units = after.units - before.units
  if (units === 0) throw new Error(`no ${load.counted} reached the upstream via ${target.name}`)
  return {
    cpuPerUnit: (after.cpu - before.cpu) / units,
    unitsPerSecond: (units * 1000) / (after.atMs - before.atMs),
    ...latency,
    memoryMb,
  }
}
