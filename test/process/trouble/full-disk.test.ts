import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../support/eventually.ts'
import { startFakeUpstream } from '../../support/fake-upstream/start-fake-upstream.ts'
import { makeSmallDisk } from '../../support/ledger/small-disk.ts'
import { missingPart } from '../../support/missing-part.ts'
import { readLedger } from '../../support/process/ledger-state.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
const flags = ['--replica', 'node-a', '--log-level', 'warn', '--drain-seconds', '2']
const upstream = await startFakeUpstream()
const disk = makeSmallDisk()
afterAll(async () => {
  await upstream.stop()
  disk.remove()
})

async function ask(gateway: TollgateProcess, served: string[]): Promise<number> {
  const response = await askShop(gateway.url)
  await response.text()
  if (response.status === 200) served.push(response.headers.get('x-request-id') ?? '')
  return response.status
}

const ends = ['and continues when there is space again', 'and stops without losing a charge']

const name = 'a data folder on a full disk'
// The store tests then use a simulated full disk.
if (!disk.isReal) missingPart(name, 'no small file system can be mounted; this needs root')

describe(name, () => {
  test.each(disk.isReal ? ends : [])('the gateway rejects requests, %s', async (end) => {
    const isFreed = end.startsWith('and continues')
    upstream.reset()
    upstream.script({}, { kind: 'lie-usage', usage })
    const data = join(disk.folder, isFreed ? 'one' : 'two')
    mkdirSync(data)
    const workspace = makeWorkspace(shopConfig(upstream.url, { data }))
    const served: string[] = []
    const gateway = await startTollgate(workspace, flags)
    for (let count = 0; count < 20; count += 1) expect(await ask(gateway, served)).toBe(200)
    disk.fill()
    await eventually('requests are refused', async () => (await ask(gateway, served)) === 503)
    if (isFreed) {
      disk.free()
      await eventually('requests are served', async () => (await ask(gateway, served)) === 200)
    }
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(0)
    disk.free()
    // The next start ships the records that could not reach the database.
    const next = await startTollgate(workspace, flags)
    next.signal('SIGTERM')
    expect(await next.exited).toBe(0)
    expect(next.stderr()).not.toContain('journal_damaged')
    const ledger = await readLedger(`sqlite://${join(data, 'tollgate.db')}`)
    expect(served.filter((id) => !ledger.entries.has(id))).toEqual([])
    expect(ledger.imbalances).toEqual([])
    expect(ledger.availableNano).toBe(ledger.creditNano - ledger.spentNano)
    expect(readdirSync(join(data, 'journal'))).toEqual([])
  })
})
