// Measures two builds of the gateway alternately, in one run on one machine: ratios of the CPU time of a request.
import { mkdirSync } from 'node:fs'
import { stopChild } from '../children.ts'
import { type Load, type LoadFixture, measureLoad } from '../measure-load.ts'
import type { Options } from '../read-options.ts'
import { startGateway, startUpstream, type Target } from '../target.ts'
import { readUpstreamCounters } from '../upstream-counters.ts'
import { writeWrkScript } from '../wrk.ts'
import { type AgainstCase, againstCases } from './cases.ts'
import type { Build } from './other-build.ts'

/** CPU µs of a request in two adjacent windows. */
export interface Pair {
  readonly own: number
  readonly other: number
}

export interface Compared {
  readonly name: string
  readonly title: string
  readonly pairs: readonly Pair[]
}

export interface Comparison {
  readonly options: Options
  readonly wrk: string
  readonly folder: string
  readonly own: Build
  readonly other: Build
  readonly tell: (text: string) => void
}

/** The load before the first window of a case, repeated until the case has its warm-up units. */
const firstWarmUp = { warmUpMs: 100, windowMs: 4_400 }
const warmUpLoadsMax = 20
/** Connections are reopened before every later window. Many short windows are more precise than few long ones. */
const times = { warmUpMs: 500, windowMs: 2_000 }

export async function compareBuilds(comparison: Comparison): Promise<Compared[]> {
  const { options, folder, own, other, tell } = comparison
  const upstream = await startUpstream()
  const chosen = againstCases.filter(({ name }) => options.cases.includes(name))
  const pairs = new Map<string, Pair[]>(chosen.map(({ name }) => [name, []]))
  // Every round has new processes, because the compiler's result for a build differs from process to process.
  for (let round = 0; round < options.rounds; round += 1) {
    const start = async (build: Build, which: string): Promise<Target> => {
      const dataFolder = `${folder}/${which}-${round}`
      mkdirSync(dataFolder)
      return await startGateway(build.entry, dataFolder, upstream)
    }
    const gateways = { own: await start(own, 'own'), other: await start(other, 'other') }
    for (const each of chosen) {
      tell(`round ${round + 1} of ${options.rounds}: ${each.title}`)
      const measured = await measureCase(comparison, upstream, gateways, each)
      pairs.get(each.name)?.push(...measured)
    }
    await stopChild(gateways.own.child)
    await stopChild(gateways.other.child)
  }
  return chosen.map(({ name, title }) => ({ name, title, pairs: pairs.get(name) ?? [] }))
}

async function measureCase(
  { options, wrk, folder, tell }: Pick<Comparison, 'options' | 'wrk' | 'folder' | 'tell'>,
  upstream: Target,
  gateways: { readonly own: Target; readonly other: Target },
  { name, body, load, unitsPerRequest, warmUpUnits }: AgainstCase,
): Promise<Pair[]> {
  const scriptFile = `${folder}/${name}.lua`
  writeWrkScript(scriptFile, body)
  const whole: Load = { ...load, scriptFile }
  const fixture: LoadFixture = { options: times, programs: { wrk }, upstream }
  const measure = async (gateway: Target): Promise<number> =>
    (await measureLoad(fixture, gateway, whole)).cpuPerUnit * unitsPerRequest
  await warmUp({ ...fixture, options: firstWarmUp }, gateways.own, whole, warmUpUnits)
  await warmUp({ ...fixture, options: firstWarmUp }, gateways.other, whole, warmUpUnits)
  const pairs: Pair[] = []
  while (pairs.length < options.pairs) {
    const pair = await measurePair(gateways, measure, pairs.length % 2 === 0)
    tell(`  ${pair.own.toFixed(1)} and ${pair.other.toFixed(1)} µs`)
    pairs.push(pair)
  }
  return pairs
}

async function warmUp(
  fixture: LoadFixture,
  gateway: Target,
  load: Load,
  units: number,
): Promise<void> {
  const count = async () => (await readUpstreamCounters(fixture.upstream.url))[load.counted]
  const enough = (await count()) + units
  for (let loads = 0; loads < warmUpLoadsMax && (await count()) < enough; loads += 1) {
    await measureLoad(fixture, gateway, load)
  }
}

/** The order alternates from pair to pair, so that a machine that slows down affects both builds equally. */
async function measurePair(
  gateways: { readonly own: Target; readonly other: Target },
  measure: (gateway: Target) => Promise<number>,
  isOwnFirst: boolean,
): Promise<Pair> {
  if (isOwnFirst) {
    const own = await measure(gateways.own)
    return { own, other: await measure(gateways.other) }
  }
  const other = await measure(gateways.other)
  return { own: await measure(gateways.own), other }
}
