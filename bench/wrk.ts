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
