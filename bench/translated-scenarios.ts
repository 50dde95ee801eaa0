import { completionsPath, type StreamShape } from './bench-request.ts'
import type { Fixture } from './fixture.ts'
import { measureLoad } from './measure-load.ts'
import { median } from './median.ts'
import type { Outcome, Row, ScenarioName } from './scenario.ts'
import { type Asked, largeRequests, smallStreams } from './translated-requests.ts'
import { writeWrkScript } from './wrk.ts'

const shape: StreamShape = { eventCount: 200, intervalMs: 5 }
const microsecondsPerMillisecond = 1000

/** The same stream of a chat-completions upstream, passed through to one client and translated for the others. */
export async function runTranslatedStreamScenario(fixture: Fixture): Promise<Outcome> {
  const measured = await measureAll(fixture, 'translated-stream', smallStreams(shape), {
    connections: 100,
    counted: 'events',
  })
  const passed = measured.get(completionsPath) ?? []
  const goals = [...measured]
    .filter(([path]) => path !== completionsPath)
    .map(([path, costs]) => ({
      title: `CPU per event to ${path}, translated / passed through`,
      value: median(costs.map((cost, round) => cost / (passed[round] ?? Number.NaN))),
      atMost: 2,
      unit: 'x',
    }))
  return {
    scenario: 'translated-stream',
    title: '100 streams of 200 events from a chat-completions upstream, one every 5 ms',
    rows: rowsOf(measured, 'CPU µs/event', 1),
    goals,
  }
}

/**
 * A long conversation with many tools, to a chat-completions upstream: the additional cost of translation over
 * pass-through.
 */
export async function runTranslatedRequestScenario(fixture: Fixture): Promise<Outcome> {
  const measured = await measureAll(fixture, 'translated-request', largeRequests(), {
    connections: 2,
    counted: 'requests',
  })
  const passed = measured.get(completionsPath) ?? []
  const goals = [...measured]
    .filter(([path]) => path !== completionsPath)
    .map(([path, costs]) => ({
      title: `added to a request of 300 KB, 200 messages, 60 tools at ${path}`,
      value:
        median(costs.map((cost, round) => cost - (passed[round] ?? Number.NaN))) /
        microsecondsPerMillisecond,
      atMost: 10,
      unit: 'ms',
    }))
  return {
    scenario: 'translated-request',
    title: 'one response per request of 300 KB with 200 messages and 60 tools, 2 connections',
    rows: rowsOf(measured, 'CPU ms/request', microsecondsPerMillisecond),
    goals,
  }
}

/** CPU µs per unit by path, one figure per round; the paths alternate in each round. */
async function measureAll(
  fixture: Fixture,
  scenario: ScenarioName,
  asked: readonly Asked[],
  load: { connections: number; counted: 'requests' | 'events' },
): Promise<Map<string, number[]>> {
  const costs = new Map<string, number[]>(asked.map(({ path }) => [path, []]))
  for (const [index, { body }] of asked.entries()) {
    writeWrkScript(`${fixture.folder}/${scenario}-${index}.lua`, body)
  }
  for (let round = 0; round < fixture.options.rounds; round += 1) {
    for (const [index, { path }] of asked.entries()) {
      const scriptFile = `${fixture.folder}/${scenario}-${index}.lua`
      const figures = await measureLoad(fixture, fixture.gateway, { ...load, scriptFile, path })
      costs.get(path)?.push(figures.cpuPerUnit)
    }
  }
  return costs
}

function rowsOf(measured: ReadonlyMap<string, number[]>, column: string, divisor: number): Row[] {
  return [...measured].map(([path, costs]) => ({
    target: path,
    figures: { [column]: median(costs) / divisor },
  }))
}
