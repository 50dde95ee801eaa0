import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { freePort } from '../../../tools/testing/free-port.mjs'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runTollgate,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

const calls = 40

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

interface Case {
  readonly name: string
  /** The flags of the second gateway in addition to `serve`. */
  flags(first: First): readonly string[]
  readonly isInOtherFolder?: boolean
  readonly says: RegExp
}

interface First {
  readonly gateway: TollgateProcess
  readonly port: number
  readonly metricsPort: number
}

const cases: readonly Case[] = [
  {
    name: 'the same port and the same data folder',
    flags: ({ port }) => ['--listen', `127.0.0.1:${port}`],
    says: /^tollgate: The address 127\.0\.0\.1:\d+ is taken by another program: .* --listen\.\n$/,
  },
  {
    name: 'the same port, on every interface',
    flags: ({ port }) => ['--listen', `:${port}`],
    says: /is taken by another program: .* --listen\.\n$/,
  },
  {
    name: 'the same port and another data folder',
    flags: ({ port }) => ['--listen', `127.0.0.1:${port}`],
    isInOtherFolder: true,
    says: /is taken by another program: .* --listen\.\n$/,
  },
  {
    name: 'the same port for metrics',
    flags: ({ metricsPort }) => ['--metrics-listen', `127.0.0.1:${metricsPort}`],
    isInOtherFolder: true,
    says: /is taken by another program: .* --metrics-listen\.\n$/,
  },
  {
    name: 'another port, the same data folder and the same name',
    flags: () => ['--replica', 'node-a'],
    says: /^tollgate: Another gateway named node-a is running on the data folder .*\. .* --replica\.\n$/,
  },
]

async function startFirst(workspace: Workspace): Promise<First> {
  const metricsPort = await freePort()
  const gateway = await startTollgate(workspace, [
    '--replica',
    'node-a',
    '--metrics-listen',
    `127.0.0.1:${metricsPort}`,
  ])
  return { gateway, metricsPort, port: Number(new URL(gateway.url).port) }
}

async function expectServed({ url }: TollgateProcess): Promise<void> {
  const statuses = await Promise.all(
    Array.from({ length: calls }, async () => {
      const response = await askShop(url)
      await response.text()
      return response.status
    }),
  )
  expect(statuses.filter((status) => status !== 200)).toEqual([])
}

describe('a second gateway that conflicts with the first', () => {
  let workspace: Workspace
  let first: First
  beforeAll(async () => {
    workspace = makeWorkspace(shopConfig(upstream.url))
    first = await startFirst(workspace)
    await expectServed(first.gateway)
  })

  test.each(cases)(
    '$name: the second prints one sentence and exits with 1, and the first is not affected',
    async (each) => {
      const place = each.isInOtherFolder ? makeWorkspace(shopConfig(upstream.url)) : workspace
      const second = await runTollgate(place, ['serve', ...each.flags(first)])
      expect(second.code).toBe(1)
      expect(second.stderr).toMatch(each.says)
      expect(second.stdout).toBe('')
      // The second gateway has changed nothing.
      if (each.isInOtherFolder) expect(existsSync(place.path('data/tollgate.db'))).toBe(false)
      await expectServed(first.gateway)
      expect((await fetch(`http://127.0.0.1:${first.metricsPort}/metrics`)).status).toBe(200)
      expect(first.gateway.stderr()).not.toContain('identity_lost')
    },
  )

  test('then the first stops cleanly, and its name is free after a stop and after a kill', async () => {
    first.gateway.signal('SIGTERM')
    expect(await first.gateway.exited).toBe(0)
    const next = await startFirst(workspace)
    await expectServed(next.gateway)
    next.gateway.signal('SIGKILL')
    await next.gateway.exited
    const last = await startFirst(workspace)
    await expectServed(last.gateway)
    last.gateway.signal('SIGTERM')
    expect(await last.gateway.exited).toBe(0)
  })

  test('another port and another name on the same data folder: both serve requests', async () => {
    const workspace = makeWorkspace(shopConfig(upstream.url))
    const first = await startFirst(workspace)
    const second = await startTollgate(workspace, ['--replica', 'node-b'])
    await Promise.all([expectServed(first.gateway), expectServed(second)])
    for (const each of [first.gateway, second]) each.signal('SIGTERM')
    for (const each of [first.gateway, second]) expect(await each.exited).toBe(0)
  })
})
