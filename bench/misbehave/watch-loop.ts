// Loaded into the gateway's process before the gateway: tells how long its event loop was kept since the last question.
import { readFileSync } from 'node:fs'

const everyMs = 1

let longestMs = 0
let longestCpuMs = 0
let lastAt = performance.now()
let lastCpuMs = cpuMs()

/** What the main thread itself has worked: on a machine with other work the clock alone tells of that work too. */
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
