import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openStore } from '../../../src/store/open-store.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runHere,
  runTollgate,
  startTollgate,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

const patienceMs = patience(60_000)

let upstream: FakeUpstream
let workspace: Workspace
beforeAll(async () => {
  upstream = await startFakeUpstream()
  workspace = makeWorkspace(shopConfig(upstream.url))
})
afterAll(() => upstream.stop())

/** Adds money without a credit, which no part of Tollgate ever does. */
async function addOutOfNowhere(nano: number): Promise<void> {
  const engine = await openStore(`sqlite://${workspace.path('data/tollgate.db')}`)
  await sql`UPDATE account SET available_nano = available_nano + ${nano}`.execute(engine.db)
  await engine.close()
}

describe('the self-audit of a running gateway', () => {
  test(
    'an imbalance stops the account until an operator releases it',
    async () => {
      expect((await runHere(workspace, ['apply'])).code).toBe(0)
      await addOutOfNowhere(1)
      const gateway = await startTollgate(workspace)
      const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text()
      await eventually('the self-audit has looked', async () =>
        (await metrics()).includes('\ntollgate_audit_accounts_stopped 1\n'),
      )
      expect(gateway.stderr()).toContain('"ledger_unbalanced"')
      expect(gateway.stderr()).toContain('-0.000000001 US$')
      upstream.reset()
      const refused = await askShop(gateway.url)
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).not.toBeNull()
      expect(await refused.text()).toContain('"unavailable"')

      const told = await runTollgate(workspace, ['audit'])
      expect(told.code).toBe(1)
      expect(told.stdout).toContain('The account acme gets no leases')
      expect((await runHere(workspace, ['audit', '--release', 'acme'])).code).toBe(0)
      const answered = await askShop(gateway.url)
      await answered.text()
      expect(answered.status).toBe(200)

      gateway.signal('SIGTERM')
      expect(await gateway.exited).toBe(0)
      await addOutOfNowhere(-1)
      const after = await runHere(workspace, ['audit'])
      expect(after.stdout).toContain('1 entry, ')
      expect(after.code).toBe(0)
      const statement = await runHere(workspace, ['audit', '--account', 'acme'])
      expect(statement.stdout).toContain('The lines add up exactly.')
      expect(statement.stdout).toContain('  1 request ')
      expect(statement.code).toBe(0)
    },
    patienceMs,
  )
})
