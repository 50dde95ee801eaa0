import type { Pair } from './against/compare-builds.ts'
import type { LoadFixture } from './measure-load.ts'
import { threadMicroseconds } from './process-figures.ts'
import type { Target } from './target.ts'
import { readUpstreamCounters } from './upstream-counters.ts'
import { runWrk, type SlicedRequest, writeSlicedScript } from './wrk.ts'

/**
 * Longer than the ledger keeps settlements back, so that each kind of request pays for its own rows, and short, because
 * the speed of a machine changes from second to second.
 */
const sliceMs = 400
/** After the change of requests, until those of the slice before have ended. */
const settleMs = 5
/** Until the compiler has compiled the hot code of both requests. */
const warmUpMs = 8_000
const connections = 32

interface Sample {
  readonly slice: number
  readonly cpu: number
  readonly units: number
}

/**
 * CPU µs of two kinds of requests at one gateway. They alternate in slices of less than a second, and each slice of the
 * first kind is compared with the mean of its two neighbours. So the speed of the machine, and what the compiler has
 * made of this process, are the same for both.
 */
export async function measureSlices(
  { programs, upstream, folder, seconds }: LoadFixture & { folder: string; seconds: number },
  gateway: Target,
  requests: { readonly path: string; readonly own: SlicedRequest; readonly other: SlicedRequest },
): Promise<Pair[]> {
  const scriptFile = `${folder}/slices.lua`
  writeSlicedScript(scriptFile, [requests.own, requests.other], sliceMs)
  const durationMs = warmUpMs + seconds * 1_000
  const url = gateway.url + requests.path
  const wrk = runWrk({ wrk: programs.wrk, scriptFile, url, connections, durationMs })
  const [samples] = await Promise.all([takeSamples(gateway, upstream, durationMs), wrk])
  return pairsOf(samples)
}

async function takeSamples(
  gateway: Target,
  upstream: Target,
  durationMs: number,
): Promise<Sample[]> {
  const endMs = performance.now() + durationMs - sliceMs
  await Bun.sleep(warmUpMs)
  const samples: Sample[] = []
  while (performance.now() < endMs) {
    const nextMs = (Math.floor(Date.now() / sliceMs) + 1) * sliceMs + settleMs
    await Bun.sleep(nextMs - Date.now())
    const { requests } = await readUpstreamCounters(upstream.url)
    const slice = Math.floor(Date.now() / sliceMs)
    samples.push({ slice, cpu: threadMicroseconds(gateway.child.pid), units: requests })
  }
  return samples
}

function pairsOf(samples: readonly Sample[]): Pair[] {
  const costs = new Map<number, number>()
  for (const [index, after] of samples.entries()) {
    const before = samples[index - 1]
    // A sample that was taken too late belongs to no slice.
    if (before?.slice !== after.slice - 1 || after.units === before.units) continue
    costs.set(before.slice, (after.cpu - before.cpu) / (after.units - before.units))
  }
  const pairs: Pair[] = []
  for (const [slice, own] of costs) {
    const left = costs.get(slice - 1)
    const right = costs.get(slice + 1)
    if (slice % 2 !== 0 || left === undefined || right === undefined) continue
    pairs.push({ own, other: (left + right) / 2 })
  }
  return pairs
}
