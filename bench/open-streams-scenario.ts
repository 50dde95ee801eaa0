import { fileURLToPath } from 'node:url'
import { startTalkingChild, stopChild } from './children.ts'
import type { Fixture } from './fixture.ts'
import { lines } from './lines.ts'
import { cpuMicroseconds, processTree, residentMegabytes } from './process-figures.ts'
import type { Outcome, Row } from './scenario.ts'
import { untilStreamsEnd } from './streams-end.ts'
import type { Target } from './target.ts'
import { readUpstreamCounters } from './upstream-counters.ts'

const streamCount = 2000
const openLimitMs = 15_000

export async function runOpenStreamsScenario(fixture: Fixture): Promise<Outcome> {
  const nginx = await measureOpenStreams(fixture, fixture.nginx)
  const gateway = await measureOpenStreams(fixture, fixture.gateway)
  const value = gateway.figures['memory MB'] ?? Number.NaN
  return {
    scenario: 'open-streams',
    title: `${streamCount} open streams, each with one event per second`,
    rows: [nginx, gateway],
    goals: [{ title: `memory with ${streamCount} streams`, value, atMost: 160, unit: 'MB' }],
  }
}

async function measureOpenStreams(fixture: Fixture, target: Target): Promise<Row> {
  const client = startTalkingChild([
    process.execPath,
    fileURLToPath(new URL('./open-streams-client.ts', import.meta.url)),
    new URL(target.url).port,
    `${streamCount}`,
  ])
  await untilSettled(target, client.stdout)
  const ids = processTree(target.child.pid)
  const { windowMs } = fixture.options
  const before = await takeSample(fixture, ids)
  await Bun.sleep(windowMs)
  const after = await takeSample(fixture, ids)
  const memoryMb = residentMegabytes(ids)
  if (after.openStreams !== streamCount) {
    throw new Error(`${target.name} kept ${after.openStreams} of ${streamCount} streams open`)
  }
  await stopChild(client)
  const { stoppedMs, endedMs } = await untilStreamsEnd(fixture.upstream, target)
  return {
    target: target.name,
    figures: {
      'memory MB': memoryMb,
      'CPU µs/event': (after.cpu - before.cpu) / (after.events - before.events),
      'events/s': ((after.events - before.events) * 1000) / (after.atMs - before.atMs),
      'stopped ms': stoppedMs,
      'all ended ms': endedMs,
    },
  }
}

async function takeSample(fixture: Fixture, ids: readonly number[]) {
  const counters = await readUpstreamCounters(fixture.upstream.url)
  return { ...counters, atMs: performance.now(), cpu: cpuMicroseconds(ids) }
}

async function untilSettled(target: Target, output: ReadableStream<Uint8Array>): Promise<void> {
  const endAt = performance.now() + openLimitMs
  let last = ''
  for await (const line of lines(output)) {
    last = line
    if (line.includes('"settled":true')) return
    if (performance.now() > endAt) break
  }
  throw new Error(`${target.name} did not open ${streamCount} streams: ${last}`)
}
