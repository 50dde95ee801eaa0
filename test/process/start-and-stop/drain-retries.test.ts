import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { readLedger } from '../../support/process/ledger-state.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

/** Fewer than the saved retries of a process, and enough that many wait at any moment. */
const requestCount = 90

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterEach(() => upstream.reset())
afterAll(() => upstream.stop())

interface Busy {
  readonly workspace: Workspace
  readonly gateway: TollgateProcess
  readonly answers: Promise<readonly number[]>
}

/** Two upstreams for the model: the first one fails, and the second gets the request after a short random backoff. */
async function startFailing(flags: readonly string[]): Promise<Busy> {
  const config = JSON.parse(JSON.stringify(shopConfig(upstream.url)))
  const [one] = config.provision.upstreams
  config.provision.upstreams = [
    { ...one, baseUrl: `${upstream.url}/ill/v1` },
    { ...one, id: 'two', priority: 1 },
  ]
  upstream.script(({ path }) => path.startsWith('/ill'), { kind: 'status', status: 500 })
  const workspace = makeWorkspace(config)
  const gateway = await startTollgate(workspace, ['--log-level', 'error', ...flags])
  const answers = Promise.all(
    Array.from({ length: requestCount }, async () => {
      const response = await askShop(gateway.url)
      await response.text()
      return response.status
    }),
  )
  return { workspace, gateway, answers }
}

async function readRows({ folder }: Workspace) {
  const ledger = await readLedger(`sqlite://${folder}/data/tollgate.db`)
  expect(ledger.imbalances).toEqual([])
  expect(ledger.entries.size).toBe(requestCount)
  expect(ledger.availableNano).toBe(ledger.creditNano - ledger.spentNano)
  return [...ledger.rows.values()]
}

describe('SIGTERM while requests wait for a retry', () => {
  test(
    'with drain time: each request is retried and answered',
    async () => {
      const { workspace, gateway, answers } = await startFailing([])
      await upstream.whenRequested(requestCount)
      gateway.signal('SIGTERM')
      expect(await answers).toEqual(Array.from({ length: requestCount }, () => 200))
      expect(await gateway.exited).toBe(0)
      const rows = await readRows(workspace)
      expect(rows.every(({ status }) => status === 200)).toBe(true)
    },
    patience(60_000),
  )

  test(
    'without drain time: each request gets an error and is settled, no response is cut, exit code 0',
    async () => {
      const { workspace, gateway, answers } = await startFailing(['--drain-seconds', '0'])
      await upstream.whenRequested(requestCount)
      gateway.signal('SIGTERM')
      const statuses = await answers
      expect(statuses.filter((status) => ![200, 502, 503].includes(status))).toEqual([])
      expect(await gateway.exited).toBe(0)
      const rows = await readRows(workspace)
      const inOrder = (all: readonly number[]) => all.toSorted((left, right) => left - right)
      expect(inOrder(rows.map(({ status }) => status))).toEqual(inOrder(statuses))
      await eventually('no upstream gets requests any more', () => upstream.openConnections === 0)
    },
    patience(60_000),
  )
})
