import { writeFileSync } from 'node:fs'
import { benchHeaders } from './bench-request.ts'
import { startTalkingChild } from './children.ts'

export interface WrkRun {
  readonly wrk: string
  readonly scriptFile: string
  readonly url: string
  readonly connections: number
  readonly durationMs: number
}

export interface WrkResult {
  readonly p50Ms: number
  readonly p99Ms: number
}

const millisecondsPerUnit: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  m: 60_000,
}

export function writeWrkScript(file: string, body: string): void {
  const headers = Object.entries(benchHeaders).map(
    ([name, value]) => `wrk.headers[${luaString(name)}] = ${luaString(value)}`,
  )
  const lines = ['wrk.method = "POST"', `wrk.body = ${luaString(body)}`, ...headers]
  writeFileSync(file, `${lines.join('\n')}\n`)
}

/** A request that takes its turn in a script of slices. */
export interface SlicedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The requests take turns: the wall clock divided by the length of a slice decides which one is sent. */
export function writeSlicedScript(
  file: string,
  requests: readonly SlicedRequest[],
  sliceMs: number,
): void {
  const formatted = requests.map(({ headers, body }, index) => {
    const pairs = Object.entries(headers).map(
      ([name, value]) => `[${luaString(name)}] = ${luaString(value)}`,
    )
    return `  requests[${index}] = wrk.format("POST", nil, {${pairs.join(', ')}}, ${luaString(body)})`
  })
  const lines = [
    'local ffi = require("ffi")',
    'ffi.cdef[[typedef struct { long s; long us; } bench_time; int gettimeofday(bench_time *t, void *zone);]]',
    'local now = ffi.new("bench_time")',
    'local requests = {}',
    'function init(args)',
    ...formatted,
    'end',
    'function request()',
    '  ffi.C.gettimeofday(now, nil)',
    '  local ms = tonumber(now.s) * 1000 + math.floor(tonumber(now.us) / 1000)',
    `  return requests[math.floor(ms / ${sliceMs}) % ${requests.length}]`,
    'end',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}

export async function runWrk(run: WrkRun): Promise<WrkResult> {
  // wrk accepts only whole seconds.
  const seconds = Math.ceil(run.durationMs / 1000)
  const child = startTalkingChild([
    run.wrk,
    '--threads=1',
    `--connections=${run.connections}`,
    `--duration=${seconds}s`,
    '--timeout=30s',
    '--latency',
    `--script=${run.scriptFile}`,
    run.url,
  ])
  const output = await new Response(child.stdout).text()
  const trouble = /^ *(Non-2xx.*|Socket errors.*|unable to connect.*)$/m.exec(output)?.[1]
  if (trouble !== undefined) throw new Error(`${run.url} under load: ${trouble}`)
  return { p50Ms: readPercentile(output, 50), p99Ms: readPercentile(output, 99) }
}

function readPercentile(output: string, percent: number): number {
  const [, amount, unit] =
    new RegExp(`^ +${percent}% +([0-9.]+)(us|ms|s|m)`, 'm').exec(output) ?? []
  const factor = millisecondsPerUnit[unit ?? '']
  if (amount === undefined || factor === undefined) {
    throw new Error(`wrk reported no ${percent}th percentile:\n${output}`)
  }
  return Number(amount) * factor
}

function luaString(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
