import { describe, expect, test } from 'bun:test'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { groupLimits } from '../../../src/alerts/group-texts.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { nameCharactersMax } from '../../../src/fields/problems.ts'
import { claimDue, markSent } from '../../../src/outbox/outbox-store.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, addAlert, addKeys, dayMs, startMs, vault } from './alert-cases.ts'

/** What web frameworks often accept at most. */
const bytesMax = 100_000
const keyCount = 250

/** How long the names are, and how many requests are needed at least and at most. */
const cases: readonly [string, string, least: number, most: number][] = [
  ['short names', 'k', 3, 3],
  ['the longest names', 'k'.repeat(nameCharactersMax), 4, 8],
  ['the longest Chinese names', '密'.repeat(nameCharactersMax), 8, 20],
]

describe.each(sharedFixtures('hook-size'))('requests of webhooks on $kind', (fixture) => {
  const bodiesOf = async (engine: Engine): Promise<readonly string[]> => {
    const bodies: string[] = []
    for (;;) {
      const claimed = await claimDue(engine, { vault, nowMs: startMs })
      if (claimed.length === 0) return bodies
      for (const { seq, content } of claimed) {
        bodies.push('body' in content ? content.body : '')
        await markSent(engine, seq, startMs)
      }
    }
  }

  test.each(cases)('%s: each has at most 100 kB', async (_name, name, least, most) => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a')
    await engine.db.updateTable('account').set({ name }).execute()
    const ids = Array.from({ length: keyCount }, (_, index) => `k${index}`)
    const expiring = ids.map((id, index) => ({ id, name, expiresAtMs: startMs + dayMs + index }))
    await addKeys(engine, expiring)
    const url = 'https://hooks.example.com/x'
    const hook = { channel: 'webhook', emails: [], url, secret: 's'.repeat(20) } as const
    await addAlert(engine, { kinds: ['key_expiring'], language: 'zh', ...hook })
    await evaluateAlerts({ engine, vault, random: systemRandom, nowMs: startMs })
    const bodies = await bodiesOf(engine)
    expect(Math.max(...bodies.map((body) => Buffer.byteLength(body)))).toBeLessThan(bytesMax)
    const conditions = bodies.map(
      (body) => (JSON.parse(body) as { conditions: { subject: string }[] }).conditions,
    )
    expect(conditions.flat().map(({ subject }) => subject)).toEqual(ids)
    const longest = Math.max(...conditions.map(({ length }) => length))
    expect(longest).toBeLessThanOrEqual(groupLimits.hookConditionsMax)
    expect(bodies.length).toBeGreaterThanOrEqual(least)
    expect(bodies.length).toBeLessThanOrEqual(most)
  })
})
