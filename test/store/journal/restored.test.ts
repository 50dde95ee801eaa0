import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { noUsage } from '../../../src/core/money/usage.ts'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { openLife } from '../../../src/ledger/journal/open-life.ts'
import { recoverDead } from '../../../src/ledger/journal/recover.ts'
import type { Hold, Progress } from '../../../src/ledger/ledger.ts'
import { explainLostIdentity, recordHeartbeat } from '../../../src/ledger/replica.ts'
import { nextTurn } from '../../support/next-turn.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import {
  costing,
  endTest,
  holdOf,
  holdRequest,
  openFunds,
  openReplica,
  type Replica,
} from '../ledger/ledger-helpers.ts'

afterEach(endTest)

async function admit({ ledger }: Replica, requestId: string): Promise<Hold> {
  const hold = holdOf(await ledger.reserve(holdRequest(100n, requestId)))
  await hold.admitted
  return hold
}

function progress(nano: number): Progress {
  const usage = { ...noUsage, input: 1, output: nano - 1 }
  const rated = { model: 'm2', groupId: 'g2', priceVersionId: 'p2', factorMicro: 1_000_000 }
  return { costNano: BigInt(nano), usage, ...rated }
}

describe.each(engineFixtures('restored'))('after a restore or a death on $kind', (fixture) => {
  test('a new epoch is above every journal of its replica, and their requests are charged once', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000n })
    const first = await openReplica(engine)
    const second = await openReplica(engine, 'r', first.folder)
    const hold = await admit(second, 'settled')
    await hold.settleSoon(costing(7n), [])
    await second.ledger.shipped()
    second.die()
    // An older backup, without the epoch, the lease and the entry.
    await engine.db.updateTable('replica').set({ epoch: 0, lived_epoch: null }).execute()
    for (const table of ['entry', 'lease'] as const) await engine.db.deleteFrom(table).execute()
    await engine.db.updateTable('account').set({ available_nano: 1_000n }).execute()
    const files = readdirSync(first.folder)
    const { owner, lock, problems } = await openLife(engine, 'r', first.folder)
    expect(owner.epoch).toBe(3)
    expect(problems.map(({ event }) => event)).toEqual(['database_restored'])
    expect(readdirSync(first.folder)).toEqual(expect.arrayContaining(files))
    for (const charged of [1, 0]) {
      const recovery = await recoverDead(engine, { folder: first.folder }, () => [])
      expect(recovery).toMatchObject({ charged, requests: 0, damagedLines: 0, missing: [] })
    }
    expect(await recordHeartbeat(engine, owner)).toBe(true)
    expect(await findImbalances(engine)).toEqual([])
    lock.end(true)
  })

  test('a request costs the amount of its last checkpoint, in whichever turn it was written', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000n })
    const replica = await openReplica(engine)
    const [late, early, settled] = await Promise.all(
      ['late', 'early', 'settled'].map((name) => admit(replica, name)),
    )
    for (const nano of [10, 20, 30]) {
      late?.checkpoint(progress(nano))
      if (nano === 10) early?.checkpoint(progress(nano))
      settled?.checkpoint(progress(nano))
      await nextTurn()
    }
    await settled?.settleSoon(costing(5n), [])
    // A settled request has no more checkpoints.
    settled?.checkpoint(progress(40))
    await nextTurn()
    replica.die()
    const rows: string[] = []
    await recoverDead(engine, { folder: replica.folder }, ({ record }) => {
      rows.push(`${record.requestId} ${record.recovery.model} ${record.recovery.groupId}`)
      return []
    })
    expect(rows.toSorted()).toEqual(['early m2 g2', 'late m2 g2'])
    const entries = await engine.db.selectFrom('entry').selectAll().orderBy('request_id').execute()
    expect(
      entries.map((entry) => [
        entry.request_id,
        entry.cost_nano,
        entry.output_tokens,
        entry.price_version_id,
        entry.flags,
      ]),
    ).toEqual([
      ['early', 10n, 9, 'p2', 'interrupted,checkpoint'],
      ['late', 30n, 29, 'p2', 'interrupted,checkpoint'],
      ['settled', 5n, 0, 'p', ''],
    ])
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a replica that lost its name reports the true reason', async () => {
    const engine = await fixture.openMigrated()
    const { owner, lock } = await openLife(engine, 'r', (await openReplica(engine, 'x')).folder)
    const setEpoch = (epoch: number) =>
      engine.db.updateTable('replica').set({ epoch }).where('id', '=', 'r').execute()
    expect(await explainLostIdentity(engine, owner)).toBeUndefined()
    await setEpoch(owner.epoch + 1)
    expect(await explainLostIdentity(engine, owner)).toContain('another process was started')
    await setEpoch(owner.epoch - 1)
    expect(await explainLostIdentity(engine, owner)).toContain('was restored or replaced')
    await engine.db.deleteFrom('replica').execute()
    expect(await explainLostIdentity(engine, owner)).toContain('it knows nothing of replica "r"')
    lock.end(true)
  })
})
