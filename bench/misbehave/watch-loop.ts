// Loaded into the gateway's process before the gateway. Reports how long the event loop was blocked since the last
// query.
import { readFileSync } from 'node:fs'

const everyMs = 1

let longestMs = 0
let longestCpuMs = 0
let lastAt = performance.now()
let lastCpuMs = cpuMs()

/** The CPU time of the main thread: on a busy machine, clock time also includes the work of other programs. */
function cpuMs(): number {
  const text = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1')
  return Number(text.slice(0, text.indexOf(' '))) / 1e6
}

setInterval(() => {
  const now = performance.now()
  longestMs = Math.max(longestMs, now - lastAt - everyMs)
  lastAt = now
  const cpu = cpuMs()
  longestCpuMs = Math.max(longestCpuMs, cpu - lastCpuMs)
  lastCpuMs = cpu
}, everyMs)

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['BENCH_WATCH_PORT']),
  fetch: () => {
    const residentMegabytes = process.memoryUsage.rss() / 1024 ** 2
    const told = { longestMs, longestCpuMs, residentMegabytes }
    longestMs = 0
    longestCpuMs = 0
    return Response.json(told)
  },
})
