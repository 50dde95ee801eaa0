import { afterAll, beforeAll, expect, test } from 'bun:test'
import { freePort } from '../../../tools/testing/free-port.mjs'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'
import { isReady, killProcess, startWorkers } from './start-workers.ts'

cleanUpAfterwards()

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

const answered = 'tollgate_requests_total{protocol="chat-completions",status="200",reason=""}'
const callsAtOnce = 6

test(
  'metricsListen shows all workers as one gateway, also after a kill and a reload',
  async () => {
    const workspace = makeWorkspace(shopConfig(upstream.url))
    const port = await freePort()
    const workers = await startWorkers(workspace, ['--metrics-listen', `127.0.0.1:${port}`])
    const { url } = workers.gateway
    // A new connection each time: the kernel chooses the worker that answers.
    const scrape = async (): Promise<string> => {
      const reply = await fetch(`http://127.0.0.1:${port}/metrics`, {
        headers: { connection: 'close' },
      })
      expect(reply.status).toBe(200)
      return reply.text()
    }
    const readSeries = (text: string, series: string): number =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.slice(series.length),
      )
    const expectAll = async (count: number): Promise<void> => {
      for (let times = 0; times < 6; times += 1)
        expect(readSeries(await scrape(), answered)).toBe(count)
    }
    let count = 0
    let atOnce = callsAtOnce
    await eventually('both workers have answered', async () => {
      // One more connection in each round, in case all so far reached the same worker.
      const replies = await Promise.all(Array.from({ length: atOnce }, () => askShop(url)))
      atOnce += 1
      for (const reply of replies) {
        expect(reply.status).toBe(200)
        await reply.text()
        count += 1
      }
      return workers.count('request', 1) > 0 && workers.count('request', 2) > 0
    })
    await expectAll(count)
    // Each metric once: a second line of the same series would be an error for Prometheus.
    const series = [...(await scrape()).matchAll(/^([a-z]\S*) /gm)].map(([, name = '']) => name)
    expect(series.length).toBeGreaterThan(50)
    expect(series.filter((name, index) => series.indexOf(name) !== index)).toEqual([])
    expect((await fetch(`${url}/metrics`)).status).toBe(404)

    const [[number, id] = []] = workers.processes()
    killProcess(id)
    await eventually('it is noticed', () => workers.count('worker_ended', number) === 1)
    await eventually('the worker is back', () => isReady(workers))
    // The last scrape included all counts of the killed worker.
    await expectAll(count)
    expect(readSeries(await scrape(), 'tollgate_worker_restarts_total')).toBe(1)

    workers.gateway.signal('SIGHUP')
    await eventually('all workers are new', () => workers.count('reloaded') === 1)
    await expectAll(count)
    workers.gateway.signal('SIGTERM')
    expect(await workers.gateway.exited).toBe(0)
    expect(await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => 'nobody')).toBe('nobody')
  },
  patience(120_000),
)
