import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { freePort } from '../../../tools/testing/free-port.mjs'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runTollgate,
  startTollgate,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'
import { isReady, killProcess, startWorkers, whenGone } from './start-workers.ts'

cleanUpAfterwards()

const timeoutMs = patience(120_000)

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

describe.concurrent('workers in trouble', () => {
  test(
    'kill -9 of the supervisor ends the workers, and the next start has the port and the names',
    async () => {
      const workspace = makeWorkspace(shopConfig(upstream.url))
      const listen = `127.0.0.1:${await freePort()}`
      const first = await startWorkers(workspace, ['--replica', 'desk', '--listen', listen])
      const { url } = first.gateway
      // Only workers of one gateway share the port.
      for (const workers of ['1', '2']) {
        const flags = ['--listen', listen, '--workers', workers, '--data', workspace.path('other')]
        const second = await runTollgate(workspace, ['serve', ...flags])
        expect(second.code).toBe(1)
        expect(second.stderr).toMatch(/^tollgate: The address \S+ is taken by another program: /)
      }
      first.gateway.signal('SIGKILL')
      await whenGone(first.processes().values())
      const next = await startTollgate(workspace, ['--replica', 'desk', '--listen', listen])
      expect((await askShop(url)).status).toBe(200)
      next.signal('SIGTERM')
      expect(await next.exited).toBe(0)
    },
    timeoutMs,
  )

  test(
    'a file that no longer fits the database: a reload logs a note, and the gateway goes on',
    async () => {
      const config = shopConfig(upstream.url)
      const workspace = makeWorkspace(config)
      const workers = await startWorkers(workspace)
      const provision = {
        accounts: [{ id: 'acme' }, { id: 'other' }],
        keys: [{ id: 'k1', account: 'other' }],
      }
      writeFileSync(workspace.path('tollgate.yaml'), JSON.stringify({ ...config, provision }))
      workers.gateway.signal('SIGHUP')
      await eventually('all workers are new', () => workers.count('reloaded') === 1)
      expect(workers.count('start_note')).toBe(2)
      expect(workers.gateway.stderr()).toContain('cannot move to \\"other\\"')
      expect((await askShop(workers.gateway.url)).status).toBe(200)
      workers.gateway.signal('SIGTERM')
      expect(await workers.gateway.exited).toBe(0)
    },
    timeoutMs,
  )

  test(
    'a configuration that does not start: a reload changes nothing, and a crash loop ends with one sentence',
    async () => {
      const workspace = makeWorkspace(shopConfig(upstream.url))
      const workers = await startWorkers(workspace)
      const { gateway } = workers
      writeFileSync(workspace.path('tollgate.yaml'), 'colour: blue\n')
      gateway.signal('SIGHUP')
      await eventually('the reload is abandoned', () => workers.count('reload_failed') === 1)
      expect(gateway.stderr()).toContain('worker 3: tollgate: tollgate.yaml:1: unknown setting')
      expect(await isReady(workers)).toBe(true)
      expect((await askShop(gateway.url)).status).toBe(200)

      const [[, id] = []] = workers.processes()
      killProcess(id)
      await eventually('the gateway is not ready', async () => !(await isReady(workers)))
      expect((await askShop(gateway.url)).status).toBe(200)
      expect(await gateway.exited).toBe(1)
      const [last] = gateway.stderr().trimEnd().split('\n').slice(-1)
      expect(last).toMatch(
        /^tollgate: Worker 1 has ended 6 times in a row, so the gateway stops\. /,
      )
      await whenGone(workers.processes().values())
    },
    timeoutMs,
  )

  test(
    'a first worker that does not start ends the gateway with its sentence',
    async () => {
      const workspace = makeWorkspace(shopConfig(upstream.url))
      const flags = ['--workers', '2', '--database', 'postgres://nobody@127.0.0.1:1/none']
      const { code, stdout, stderr } = await runTollgate(workspace, ['serve', ...flags])
      expect(code).toBe(1)
      expect(stdout).toBe('')
      expect(stderr).toMatch(/^worker 1: tollgate: /m)
      expect(stderr).not.toContain('"worker":2')
    },
    timeoutMs,
  )
})
