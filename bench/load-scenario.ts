import { requestBody, type StreamShape } from './bench-request.ts'
import type { Fixture } from './fixture.ts'
import { type Load, type LoadFigures, measureLoad } from './measure-load.ts'
import { median } from './median.ts'
import type { Goal, Outcome, Row, ScenarioName } from './scenario.ts'
import { writeWrkScript } from './wrk.ts'

interface LoadScenario {
  readonly scenario: ScenarioName
  readonly title: string
  readonly unit: string
  readonly load: Omit<Load, 'scriptFile'>
  readonly stream?: StreamShape
  readonly ratioAtMost: number
}

interface Round {
  readonly upstream: LoadFigures
  readonly nginx: LoadFigures
  readonly gateway: LoadFigures
}

export function runRequestScenario(fixture: Fixture): Promise<Outcome> {
  return runLoadScenario(fixture, {
    scenario: 'request',
    title: 'one completion per request, 32 connections',
    unit: 'request',
    load: { connections: 32, counted: 'requests' },
    ratioAtMost: 5,
  })
}

export function runStreamScenario(fixture: Fixture): Promise<Outcome> {
  return runLoadScenario(fixture, {
    scenario: 'stream',
    title: '100 streams of 200 events, one every 5 ms; p50 and p99 are of whole streams',
    unit: 'event',
    load: { connections: 100, counted: 'events' },
    stream: { eventCount: 200, intervalMs: 5 },
    ratioAtMost: 4,
  })
}

async function runLoadScenario(fixture: Fixture, plan: LoadScenario): Promise<Outcome> {
  const scriptFile = `${fixture.folder}/${plan.scenario}.lua`
  writeWrkScript(scriptFile, requestBody(plan.stream))
  const load = { ...plan.load, scriptFile }
  const rounds: Round[] = []
  // The targets alternate, so that a machine that slows down affects all of them equally.
  for (let round = 0; round < fixture.options.rounds; round += 1) {
    rounds.push({
      upstream: await measureLoad(fixture, fixture.upstream, load),
      nginx: await measureLoad(fixture, fixture.nginx, load),
      gateway: await measureLoad(fixture, fixture.gateway, load),
    })
  }
  const rows: Row[] = (['upstream', 'nginx', 'gateway'] as const).map((target) => ({
    target,
    figures: tableFigures(
      rounds.map((round) => round[target]),
      plan.unit,
    ),
  }))
  const goal: Goal = {
    title: `CPU per ${plan.unit}, gateway / nginx`,
    value: median(rounds.map((round) => round.gateway.cpuPerUnit / round.nginx.cpuPerUnit)),
    atMost: plan.ratioAtMost,
    unit: 'x',
  }
  return { scenario: plan.scenario, title: plan.title, rows, goals: [goal] }
}

function tableFigures(figures: readonly LoadFigures[], unit: string): Record<string, number> {
  const of = (pick: (figure: LoadFigures) => number) => median(figures.map(pick))
  return {
    [`CPU µs/${unit}`]: of((figure) => figure.cpuPerUnit),
    [`${unit}s/s`]: of((figure) => figure.unitsPerSecond),
    'p50 ms': of((figure) => figure.p50Ms),
    'p99 ms': of((figure) => figure.p99Ms),
    'memory MB': of((figure) => figure.memoryMb),
  }
}
