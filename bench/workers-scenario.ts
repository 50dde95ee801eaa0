import { mkdirSync } from 'node:fs'
import { stopChild } from './children.ts'
import type { Fixture } from './fixture.ts'
import { type LoadFigures, measureLoad } from './measure-load.ts'
import { median } from './median.ts'
import type { Outcome } from './scenario.ts'
import { startGateway, type Target } from './target.ts'
import { largeRequests } from './translated-requests.ts'
import { writeWrkScript } from './wrk.ts'

const path = '/v1/messages'
/** The kernel divides connections at random, so there must be enough of them for both workers. */
const connections = 32
/** Twice the throughput, minus a tenth for the load generator and the upstream, which share the cores. */
const scaleAtLeast = 1.8

/**
 * Throughput with one and with two workers, of requests that keep the gateway busy: 330 KB, translated. One worker is
 * bound to one core with all its threads, and leaves the other core to wrk and the upstream. Two workers share both
 * cores with wrk and the upstream.
 */
export async function runWorkersScenario(fixture: Fixture): Promise<Outcome> {
  const scriptFile = `${fixture.folder}/workers.lua`
  const body = largeRequests().find((asked) => asked.path === path)?.body ?? ''
  writeWrkScript(scriptFile, body)
  const one = await start(fixture, 'one', { starter: ['taskset', '-c', '0'] })
  const two = await start(fixture, 'two', { flags: ['--workers', '2'] })
  const load = { scriptFile, path, connections, counted: 'requests' } as const
  const rounds: { readonly one: LoadFigures; readonly two: LoadFigures }[] = []
  for (let round = 0; round < fixture.options.rounds; round += 1) {
    rounds.push({
      one: await measureLoad(fixture, one, load),
      two: await measureLoad(fixture, two, load),
    })
  }
  await Promise.all([one, two].map(({ child }) => stopChild(child)))
  return {
    scenario: 'workers',
    title: `translated requests of 330 KB, ${connections} connections, one worker and two`,
    rows: (['one', 'two'] as const).map((target) => ({
      target: `${target}, gateway`,
      figures: {
        'requests/s': median(rounds.map((round) => round[target].unitsPerSecond)),
        'CPU ms/request': median(rounds.map((round) => round[target].cpuPerUnit)) / 1_000,
        'p50 ms': median(rounds.map((round) => round[target].p50Ms)),
        'memory MB': median(rounds.map((round) => round[target].memoryMb)),
      },
    })),
    goals: [
      {
        title: 'throughput of one worker / of two',
        value: median(
          rounds.map(({ one: of1, two: of2 }) => of1.unitsPerSecond / of2.unitsPerSecond),
        ),
        atMost: 1 / scaleAtLeast,
        unit: 'x',
      },
    ],
  }
}

async function start(
  fixture: Fixture,
  name: string,
  how: Parameters<typeof startGateway>[3],
): Promise<Target> {
  const folder = `${fixture.folder}/workers-${name}`
  mkdirSync(folder)
  return await startGateway(fixture.options.entry, folder, fixture.upstream, how)
}
