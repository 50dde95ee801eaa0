import { expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { sendRaw } from '../support/gateway/send-raw.ts'
import { repeats } from '../support/repeats.ts'
import { kinds, makeInput } from './make-input.ts'
import { runConsole } from './run-console.ts'
import { runHostile } from './run-hostile.ts'

const seed = Number(process.env['TEST_SEED'] ?? 1)
const count = repeats(1_000)
const consoleCount = repeats(500)
const timeoutMs = 300_000

test(
  `${count} hostile inputs: every response has a documented status, no secret leaks, and the ledger balances`,
  async () => {
    const report = await runHostile({ seed, count })
    expect(report.failures).toEqual([])
    expect(report.insideHits).toBe(0)
    expect(report.inputs).toBe(count)
    // The test proves something only if the inputs are of all kinds and some reach an upstream.
    expect(Object.keys(report.kinds).toSorted()).toEqual([...kinds].toSorted())
    for (const status of [200, 400, 401, 404, 405, 502]) {
      expect(report.statuses[status] ?? 0).toBeGreaterThan(0)
    }
    expect(report.upstreamRequests).toBeGreaterThan(count / 10)
  },
  timeoutMs,
)

test(
  `${consoleCount} hostile requests to the console: no server error, and no secret leaks`,
  async () => {
    const report = await runConsole(seed, consoleCount)
    expect(report.failures).toEqual([])
    for (const status of [200, 400, 401, 403, 404, 405]) {
      expect(report.statuses[status] ?? 0).toBeGreaterThan(0)
    }
  },
  timeoutMs,
)

test('a connection without a response is an error and does not stop the run', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve)
  })
  const address = silent.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const sent = sendRaw(`http://127.0.0.1:${port}`, ['GET / HTTP/1.1\r\n\r\n'], { withinMs: 1 })
  expect(sent).rejects.toThrow('neither an answer nor an end within 1 ms')
  await sent.catch(() => undefined)
  silent.close()
})

test('the same seed gives exactly the same inputs', () => {
  const world = { insidePort: 1 }
  for (let index = 0; index < 200; index += 1) {
    expect(makeInput(7, index, world)).toEqual(makeInput(7, index, world))
  }
})
